import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

const root = path.resolve(import.meta.dirname, '..');
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');

const documents = globSync(['*.md', '{docs,src,test}/**/*.md', 'packages/*/*.md'], { cwd: root });

const unplain =
  /\b(?:whoever|whom|anew|by (?:itself|themselves)|of (?:its|their) own|(?:is|are) none|that there is not|told|mended|weather|in so many words|for good)\b/i;

test('documents have lines of at most 110 columns and plain words', () => {
  const wrong = documents
    .filter((document) => document !== 'docs/contract.md')
    .flatMap((document) =>
      read(document)
        .replaceAll(/^```[\s\S]*?^```$/gm, (block) => block.replaceAll(/[^\n]/g, ''))
        .split('\n')
        .map((line, at) => ({ place: `${document}:${at + 1}`, line }))
        .filter(({ line }) => (line.length > 110 && !/^ *\|/.test(line)) || unplain.test(line)),
    );
  assert.deepEqual(wrong, []);
});

/** A block is one comment, or `//` or `--` lines that follow each other. */
const commented = globSync(
  [
    '{src,test,bench,scripts,contracts,packages/*/src}/**/*.{ts,sol}',
    'bin/*.js',
    'database/functions/**/*.sql',
  ],
  { cwd: root },
);
const comments = commented
  .filter((file) => !file.includes('/generated/'))
  .flatMap((file) => {
    const block = file.endsWith('.sql')
      ? /^ *--.*(?:\n *--.*)*/gm
      : /^ *\/\*\*[\s\S]*?\*\/|^ *\/\/.*(?:\n *\/\/.*)*/gm;
    return [...read(file).matchAll(block)].map(([text]) => ({ file, text }));
  });

test('comments have lines of at most 110 columns', () => {
  assert.ok(comments.length > 1_000);
  const wrong = comments.filter(({ text }) => text.split('\n').some((line) => line.length > 110));
  assert.deepEqual(wrong, []);
});

// Biome formats TypeScript and JavaScript.
test('files that no formatter wraps have lines of at most 110 columns', () => {
  const files = globSync(['database/functions/**/*.sql', '.env.example', '.ci/run'], { cwd: root });
  assert.ok(files.length > 100);
  const wrong = files.flatMap((file) =>
    read(file)
      .split('\n')
      .map((line, at) => ({ place: `${file}:${at + 1}`, line }))
      .filter(({ line }) => line.length > 110),
  );
  assert.deepEqual(wrong, []);
});

test('comments have plain words', () => {
  const wrong = comments.filter(({ text }) => unplain.test(text.replaceAll(/\s+(?:\*|\/\/|--)?\s*/g, ' ')));
  assert.deepEqual(wrong, [], 'say it in the words of CONTRIBUTING.md');
});

test('a row of docs/decisions/ has one sentence for the choice and one for the reason', () => {
  const files = globSync('docs/decisions/*.md', { cwd: root });
  const rows = files.flatMap((file) =>
    [...read(file).matchAll(/^\| .+ \|$/gm)].map(([row]) => ({ file, cells: row.split(/(?<!\\)\|/) })),
  );
  assert.ok(rows.length > 100);
  const wrong = rows.filter(({ cells }) => cells.length !== 6 || cells.some((cell) => /[.!?] \S/.test(cell)));
  assert.deepEqual(wrong, [], 'split the row');
  const listed = [...read('docs/decisions.md').matchAll(/\((decisions\/[\w-]+\.md)\)/g)].map(
    ([, to]) => `docs/${to}`,
  );
  assert.deepEqual(listed.sort(), files.sort(), 'list the area in docs/decisions.md');
  assert.doesNotMatch(read('docs/decisions.md'), /held by \|/, 'rows belong into docs/decisions/');
});

test('ARCHITECTURE.md has sections of one screen', () => {
  const sections = read('ARCHITECTURE.md').split(/^## /m).slice(1);
  const long = sections.filter((section) => section.split('\n').length > 46);
  assert.deepEqual(
    long.map((section) => section.split('\n')[0]),
    [],
    'move details to a README.md next to the code',
  );
});
