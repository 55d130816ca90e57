import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

const root = path.resolve(import.meta.dirname, '..');
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');

/** Whether a file is named after a function that it exports, as `list-cards.ts` is: it holds a verb. */
const holdsVerb = (file: string, text: string) => {
  const name = path.basename(file, '.ts').replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
  return new RegExp(`^export (?:(?:async )?function ${name}\\b|const ${name} = (?:async )?[(<])`, 'm').test(
    text,
  );
};

test('row types stand with the queries: a file of queries takes no type from a verb', () => {
  const queries = globSync('src/**/{queries.ts,queries/*.ts}', { cwd: root });
  assert.ok(queries.length > 50, `${queries.length} files`);
  const wrong = queries.flatMap((file) =>
    [...read(file).matchAll(/^import type [^;]* from '(\.[^']+)';$/gm)]
      .map(([, to]) => path.join(path.dirname(file), to!))
      .filter((target) => holdsVerb(target, read(target)))
      .map((target) => `${file} → ${target}`),
  );
  assert.deepEqual(wrong, [], 'move the type to the queries, and import it from there');
});

test('a file is named after its verb, and others are not', () => {
  assert.ok(holdsVerb('lists/list-cards.ts', 'export async function listCards(ctx: Ctx) {}'));
  assert.ok(holdsVerb('to-columns.ts', 'export const toColumns = (rule: Rule) => rule;'));
  assert.ok(!holdsVerb('scopes.ts', 'export const completeScopes = () => [];'));
  assert.ok(!holdsVerb('staff-roles.ts', 'export const staffRoles = [];'));
});
