// docs/postgresql.md lists what we use of PostgreSQL: nothing is missing there, and nothing is out of date.
import assert from 'node:assert/strict';
import { globSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { useHarness } from './harness.ts';

const harness = useHarness();
const root = path.resolve(import.meta.dirname, '..');
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');
const document = read('docs/postgresql.md');
const [, section = ''] = /^## The list\n([\s\S]+?)^## /m.exec(document) ?? [];
const codeIn = (text: string) => [...text.matchAll(/`([^`]+)`/g)].map(([, code]) => code!);
const rows = [...section.matchAll(/^\| (.+?) \| .+? \| (.+?) \| .+ \|$/gm)]
  .slice(1)
  .map(([, used, where]) => ({ used: codeIn(used!), where: codeIn(where!) }));
const listed = new Set(rows.flatMap(({ used }) => used));

function filesOf(place: string): string[] {
  if (statSync(path.join(root, place)).isFile()) return [place];
  const files = globSync('**/*.{ts,sql}', { cwd: path.join(root, place) });
  return files.filter((file) => !file.endsWith('.test.ts')).map((file) => path.join(place, file));
}

test('what is listed is used in each place that is named', () => {
  assert.ok(rows.length > 25);
  for (const { used, where } of rows) {
    assert.ok(where.length > 0, used.join());
    const texts = where.map((place) => filesOf(place).map(read).join('\n').toLowerCase());
    for (const name of used)
      assert.ok(
        texts.some((text) => text.includes(name.toLowerCase())),
        `${name} is not in ${where}`,
      );
  }
});

test('every function of PostgreSQL that only PostgreSQL has is listed', () => {
  const places = ['database/functions', 'src'];
  // Its checks may fail, and the sandbox and the tests bring their own server.
  const files = places.flatMap(filesOf).filter((file) => !/^src\/(features\/doctor|sandbox)\//.test(file));
  const called = files.flatMap((file) =>
    [...read(file).matchAll(/\b(pg_[a-z_]+)\(/g)].map(([, name]) => name!),
  );
  const missing = [...new Set(called)].filter((name) => !listed.has(name));
  assert.deepEqual(missing, []);
});

test('extensions, languages, unlogged tables and methods of indexes are listed', async () => {
  const names = await harness.deps.db.query<{ name: string }>(
    `select extname as name from pg_extension where extname <> 'plpgsql'
     union select lanname from pg_proc p join pg_language l on l.oid = p.prolang
       where p.pronamespace = 'public'::regnamespace and lanname not in ('sql', 'c', 'internal')
     union select relname from pg_class where relpersistence = 'u' and relkind = 'r'
     union select 'USING ' || amname from pg_index x join pg_class c on c.oid = x.indexrelid join pg_am a on a.oid = c.relam
       where c.relnamespace = 'public'::regnamespace and amname <> 'btree'`,
  );
  assert.ok(names.length >= 6, JSON.stringify(names));
  const missing = names.filter(({ name }) => !listed.has(name));
  assert.deepEqual(missing, []);
});

test('what the document says we do not use, we do not use', () => {
  const schema = [...filesOf('database'), ...filesOf('src')].map(read).join('\n');
  const unused =
    /\b(create foreign table|create event trigger|row level security|partition of|create temp|prepare transaction|lo_create|declare \w+ cursor)\b/i;
  assert.equal(unused.exec(schema)?.[0], undefined);
});
