import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';

const root = path.resolve(import.meta.dirname, '..');

const makeFolder = () => mkdtempSync(path.join(process.env.CAUSEWAY_TEST_FOLDER ?? tmpdir(), 'compile-'));

test('after an install, the server that `npm start` loads is compiled', () => {
  const cache = makeFolder();
  const run = (args: string[], env = {}) =>
    spawnSync(process.execPath, args, {
      cwd: root,
      env: { ...process.env, NODE_COMPILE_CACHE: cache, ...env },
      encoding: 'utf8',
      maxBuffer: 2 ** 26,
    });
  const compiled = run(['scripts/compile.js']);
  assert.equal(compiled.status, 0, compiled.stderr);
  const server = path.join(root, 'src/sandbox/serve-demo.ts');
  const { stderr } = run([server], { NODE_DEBUG_NATIVE: 'COMPILE_CACHE' });
  const lookups = stderr.split('\n').filter((line) => line.includes('reading cache from'));
  // A thread may write its line between a look-up and its outcome.
  const isFound = (line: string) =>
    line.includes('success') || / for \w+ (\S+?)\.\.\..* for \w+ \1 was accepted/.test(line);
  const found = lookups.filter(isFound);
  assert.ok(found.length > 1_000, `${found.length} of ${lookups.length}`);
  assert.deepEqual(
    lookups.filter((line) => !isFound(line)),
    [],
  );
});

test('an install does not fail where the server cannot be loaded', () => {
  const folder = makeFolder();
  cpSync(path.join(root, 'scripts'), path.join(folder, 'scripts'), { recursive: true });
  cpSync(path.join(root, 'package.json'), path.join(folder, 'package.json'));
  const { status, stderr } = spawnSync(process.execPath, ['scripts/compile.js'], {
    cwd: folder,
    env: { PATH: process.env.PATH },
    encoding: 'utf8',
  });
  assert.equal(status, 0);
  assert.match(stderr, /Not compiled, the first start does it/);
  assert.deepEqual(readdirSync(folder).sort(), ['node_modules', 'package.json', 'scripts']);
});
