import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { fileStore } from './node.ts';

const root = mkdtempSync(path.join(tmpdir(), 'causeway-store-'));
after(() => rmSync(root, { recursive: true }));
let count = 0;
const newFolder = () => path.join(root, `new-${count++}`, 'keys');

test('the first key under a name stays, also for another store on the folder', async () => {
  const folder = newFolder();
  assert.equal(await fileStore(folder).keep('payout-1', 'one'), 'one');
  assert.equal(await fileStore(folder).keep('payout-1', 'two'), 'one');
  assert.equal(await fileStore(folder).keep('payout-2', 'two'), 'two');
});

test('many at once agree on one key, and leave nothing but it', async () => {
  const folder = newFolder();
  const keys = await Promise.all(
    Array.from({ length: 50 }, (_, at) => fileStore(folder).keep('p', `key-${at}`)),
  );
  assert.equal(new Set(keys).size, 1);
  const files = readdirSync(folder);
  assert.equal(files.length, 1);
  assert.deepEqual(JSON.parse(readFileSync(path.join(folder, files[0]!), 'utf8')), {
    name: 'p',
    key: keys[0],
  });
  assert.equal(statSync(folder).mode & 0o077, 0, 'only for its owner');
});

test('names that differ only in case, that are long, or that look like paths are apart', async () => {
  const folder = newFolder();
  const names = ['a', 'A', '../a', '..', 'x'.repeat(5_000), 'á', ''];
  for (const name of names)
    assert.equal(await fileStore(folder).keep(name, `key of ${name}`), `key of ${name}`);
  assert.equal(readdirSync(folder).length, names.length);
});

test('a file that is damaged or of another operation is an error, and never a new key', async () => {
  const folder = newFolder();
  await fileStore(folder).keep('payout-1', 'one');
  const file = path.join(folder, readdirSync(folder)[0]!);
  for (const text of ['', '{"name":', '{"name":"payout-2","key":"one"}']) {
    writeFileSync(file, text);
    await assert.rejects(fileStore(folder).keep('payout-1', 'two'));
  }
});
