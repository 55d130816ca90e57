import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { checkSync } from 'recheck';
import safeExpressions from './data/safe-expressions.json' with { type: 'json' };
import { isEndurance } from './sizes.ts';

const root = path.resolve(import.meta.dirname, '..');
// A regular expression literal, as our formatter leaves them: after a space, bracket or comma, before a dot,
// bracket or comma.
const literal =
  /(?<=[\s([{,!])\/((?:[^/\\\n[*]|\\.|\[(?:[^\]\\\n]|\\.)*\])(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])*)\/([dgimsuy]*)(?=[\s.,;)\]])/g;

// Judging all of them takes half a minute of CPU. Those in safe-expressions.json were found safe by this very
// test; it judges the others, and in `npm run endurance` all of them.
test('no regular expression of ours takes more than linear time', () => {
  const files = globSync('{src,packages/*/src}/**/*.ts', { cwd: root }).filter(
    (file) => !file.endsWith('.test.ts'),
  );
  const found = files.flatMap((file) =>
    [...readFileSync(path.join(root, file), 'utf8').matchAll(literal)]
      .filter(([, source, flags]) => isRegExp(source!, flags!))
      .map(([text, source, flags]) => ({ file, text, source: source!, flags: flags! })),
  );
  assert.ok(found.length > 25, `found only ${found.length}: has the search lost them?`);
  const known = new Set<string>(isEndurance ? [] : safeExpressions);
  const judged = found.filter(({ text }) => !known.has(text));
  const slow = judged
    .filter(({ source, flags }) => checkSync(source, flags).status !== 'safe')
    .map(({ file, text }) => `${file}: ${text}`);
  assert.deepEqual(slow, [], 'rewrite it so that no two repetitions can match the same text');
  assert.ok(isEndurance || judged.length <= 10, 'list those that are safe in safe-expressions.json');
  assert.equal(checkSync('^(a+)+$', '').status, 'vulnerable', 'the judge is awake');
});

function isRegExp(source: string, flags: string): boolean {
  try {
    return new RegExp(source, flags) instanceof RegExp;
  } catch {
    return false;
  }
}
