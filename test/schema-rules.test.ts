import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { readFunctions } from '#platform/db/apply-functions';
import { readMigrations } from '#platform/db/migrate';
import { findBlocking } from '#test/database/migration-rules';

const root = path.resolve(import.meta.dirname, '..');

/** Written before there were rules, and never changed since. */
const lastWithoutRules = 12;

test('migrations let others read and write while they are applied', () => {
  const wrong = readMigrations()
    .filter(({ version }) => version > lastWithoutRules)
    .flatMap(({ name, sql }) => findBlocking(sql).map((fault) => `${name}: ${fault}`));
  assert.deepEqual(wrong, [], 'see "Migrations" in CONTRIBUTING.md');
});

/** Later ones leave functions and views to database/functions/, where each stands once. */
const lastWithFunctions = 25;

test('migrations neither write functions and views nor call those of database/functions/', () => {
  const names = readFunctions().map(({ name }) => path.basename(name, '.sql'));
  const wrong = readMigrations()
    .filter(({ version }) => version > lastWithFunctions)
    .flatMap(({ name, sql }) => {
      const code = sql.replaceAll(/--.*/g, '');
      const written = /\bcreate (?:or replace )?(?:function|view|aggregate)\b/i.exec(code)?.[0];
      const called = names.find((one) =>
        new RegExp(`\\b${one}\\b`).test(code.replaceAll(/\bdrop [^;]*/gi, '')),
      );
      return [written, called].filter((found) => found !== undefined).map((found) => `${name}: ${found}`);
    });
  assert.deepEqual(wrong, [], 'see "Migrations" in CONTRIBUTING.md');
});

const longestBody = 70;

/** What is wrong with a file of database/functions/. */
function findFaults({ name, sql }: { name: string; sql: string }): string[] {
  const lines = sql.split('\n');
  const header = lines.slice(
    0,
    lines.findIndex((line) => !line.startsWith('--')),
  );
  const code = sql.replaceAll(/--.*/g, '').replaceAll(/\$\$.*?\$\$/gs, '');
  const created = [...code.matchAll(/\bcreate (?:or replace )?(\w+) (\w+)/gi)].map(([text]) => text);
  const own = path.basename(name, '.sql');
  const expected = ['function', 'aggregate', 'view'].map((kind) => `create or replace ${kind} ${own}`);
  const length = lines.length - header.length - 1;
  return [
    ...(length > longestBody ? [`${length} lines of code, more than ${longestBody}: split it`] : []),
    ...['-- ', '-- Called by: ', '-- Locks: ', '-- Costs: ']
      .filter((start) => !header.some((line) => line.startsWith(start)))
      .map((start) => `no line "${start.trim()}" above its code`),
    ...(expected.includes(created[0] ?? '') ? [] : [`not one of: ${expected.join(', ')}`]),
    ...created.slice(1).filter((text) => !text.startsWith('create or replace trigger ')),
  ];
}

test('function files say who calls, what is locked and what it costs, and create what they are named after', () => {
  const files = readFunctions();
  assert.notEqual(files.length, 0);
  const wrong = files.flatMap((file) => findFaults(file).map((fault) => `${file.name}: ${fault}`));
  assert.deepEqual(wrong, [], 'see "Migrations" in CONTRIBUTING.md');
});

test('"Called by" names the functions and files that name a function, and no others', () => {
  const files = readFunctions().map(({ name, sql }) => ({ name: path.basename(name, '.sql'), sql }));
  const sources = globSync('src/**/*.ts', { cwd: root })
    .filter((file) => !file.endsWith('.test.ts'))
    .map((file) => ({ name: file, sql: readFileSync(path.join(root, file), 'utf8') }));
  const withoutComments = (text: string) => text.replaceAll(/^\s*(?:--|\*|\/[/*]).*/gm, '');
  const callers = [...files, ...sources].map(({ name, sql }) => ({ name, text: withoutComments(sql) }));
  const wrong = files.flatMap(({ name, sql }) => {
    const text = /^-- Called by: ((?:.|\n-- (?!\w+: ))*)/m.exec(sql)?.[1] ?? '';
    const named = text.replaceAll(/triggers? `\w+`(?:\s(?:--\s)?on (?:view )?`\w+`)?/g, '');
    const calling = callers.filter((one) => one.name !== name && new RegExp(`\\b${name}\\b`).test(one.text));
    const missing = calling.filter((one) => !named.includes(`\`${one.name}\``)).map((one) => one.name);
    const all = [...named.matchAll(/`([\w/.-]+)`/g)].map(([, one]) => one!);
    const gone = all
      .filter((one) => one.startsWith('src/') || callers.some((caller) => caller.name === one))
      .filter((one) => !calling.some((caller) => caller.name === one));
    return [...missing.map((one) => `${name}: add ${one}`), ...gone.map((one) => `${name}: remove ${one}`)];
  });
  assert.deepEqual(wrong, []);
});

const header = '-- Adds.\n-- Called by: `b`.\n-- Locks: nothing.\n-- Costs: nothing.\n';
const code = 'create or replace function a() returns void language sql as $$ create table b (); $$;\n';
const trigger = 'create or replace trigger a before insert on c for each row execute function a();\n';

for (const [what, sql, count] of [
  ['a function', header + code, 0],
  ['a function and its trigger', header + code + trigger, 0],
  ['a view', `${header}create or replace view a as select 1;\n`, 0],
  ['no comment', code, 4],
  ['a comment below', code + header, 4],
  ['no locks', header.replace('-- Locks: nothing.\n', '') + code, 1],
  ['another name', header + code.replace('a()', 'b()'), 1],
  ['a longer name', header + code.replace('a()', 'ab()'), 1],
  ['no replacement', header + code.replace('or replace ', ''), 1],
  ['only a trigger', header + trigger, 1],
  ['two functions', header + code + code, 1],
  ['no code', header, 1],
  ['70 lines', header + code.replace('create table', `${'\n'.repeat(69)}create table`), 0],
  ['71 lines', header + code.replace('create table', `${'\n'.repeat(70)}create table`), 1],
] as const) {
  test(`faults of a function file with ${what}: ${count}`, () => {
    assert.equal(findFaults({ name: 'feature/a.sql', sql }).length, count);
  });
}

for (const sql of [
  'alter table withdrawals add constraint fits check (amount > 0);',
  'alter table withdrawals add check (amount > 0);',
  'alter table withdrawals add constraint of_user foreign key (user_id) references users (id);',
  'alter table withdrawals add constraint one unique (user_id);',
  'alter table withdrawals add column other uuid references users (id);',
  "alter table withdrawals add column custody text check (custody in ('a', 'b'));",
  'alter table withdrawals alter column user_id set not null;',
  'alter table withdrawals alter amount type text;',
  'create index withdrawals_at on withdrawals (created_at);',
  'create unique index if not exists withdrawals_at on withdrawals (created_at);',
  'alter table users add constraint a check (true) not valid; alter table users validate constraint a;',
]) {
  test(`refused: ${sql}`, () => assert.equal(findBlocking(sql).length, 1));
}

for (const sql of [
  '-- create index x on withdrawals (id);',
  'alter table withdrawals add column note text;',
  "alter table withdrawals add column kind text not null default 'usual';",
  'alter table withdrawals add constraint fits check (amount > 0) not valid;',
  'alter table withdrawals validate constraint fits;',
  'alter table withdrawals add constraint one unique using index withdrawals_one;',
  'create index concurrently if not exists withdrawals_at on withdrawals (created_at);',
  'create table made (id bigint primary key check (id > 0)); create index made_id on made (id);',
  'alter table payout_signers add constraint fits check (next_nonce >= 0);',
  'create function f() returns text language sql as $$ select; create index x on withdrawals (id); $$;',
]) {
  test(`allowed: ${sql}`, () => assert.deepEqual(findBlocking(sql), []));
}
