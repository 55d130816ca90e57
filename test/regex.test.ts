import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { checkSync } from 'recheck';

const root = path.resolve(import.meta.dirname, '..');
// A regular expression literal, as our formatter leaves them: after a space, bracket or comma, before a dot, bracket or comma.
const literal =
  /(?<=[\s([{,!])\/((?:[^/\\\n[*]|\\.|\[(?:[^\]\\\n]|\\.)*\])(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])*)\/([dgimsuy]*)(?=[\s.,;)\]])/g;

test('no regular expression of ours takes more than linear time', () => {
  const files = globSync('src/**/*.ts', { cwd: root }).filter((file) => !file.endsWith('.test.ts'));
  const found = files.flatMap((file) =>
    [...readFileSync(path.join(root, file), 'utf8').matchAll(literal)]
      .filter(([, source, flags]) => isRegExp(source!, flags!))
      .map(([text, source, flags]) => ({ file, text, verdict: checkSync(source!, flags!) })),
  );
  assert.ok(found.length > 25, `found only ${found.length}: has the search lost them?`);
  const slow = found
    .filter(({ verdict }) => verdict.status !== 'safe')
    .map(({ file, text }) => `${file}: ${text}`);
  assert.deepEqual(slow, [], 'rewrite it so that no two repetitions can match the same text');
  assert.equal(checkSync('^(a+)+$', '').status, 'vulnerable', 'the judge is awake');
});

function isRegExp(source: string, flags: string): boolean {
  try {
    return new RegExp(source, flags) instanceof RegExp;
  } catch {
    return false;
  }
}
