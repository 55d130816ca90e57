import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { ts } from '@ts-morph/common';

const root = path.resolve(import.meta.dirname, '..');
const parse = (file: string) =>
  ts.createSourceFile(file, readFileSync(path.join(root, file), 'utf8'), ts.ScriptTarget.Latest, true);

/** The statement that declares a function, also as an arrow function. */
const findFunction = (source: ts.SourceFile, name: string) =>
  source.statements.find((statement) => {
    if (ts.isFunctionDeclaration(statement)) return statement.name?.text === name;
    if (!ts.isVariableStatement(statement)) return false;
    return statement.declarationList.declarations.some(
      (one) => one.name.getText() === name && one.initializer && ts.isArrowFunction(one.initializer),
    );
  });

const hasComment = (source: ts.SourceFile, statement: ts.Statement) =>
  (ts.getLeadingCommentRanges(source.text, statement.getFullStart()) ?? []).some(
    ({ pos, end }) => end > pos && source.text.startsWith('/**', pos),
  );

/** Functions that a feature exports, with whether each has a doc comment. */
function exportedFunctions(index: string): { name: string; isDocumented: boolean }[] {
  return parse(index).statements.flatMap((statement) => {
    if (!ts.isExportDeclaration(statement) || !statement.moduleSpecifier) return [];
    if (!statement.exportClause || !ts.isNamedExports(statement.exportClause)) return [];
    const to = (statement.moduleSpecifier as ts.StringLiteral).text;
    if (!to.startsWith('.')) return [];
    const source = parse(path.join(path.dirname(index), to));
    return statement.exportClause.elements.flatMap(({ name, propertyName }) => {
      const found = findFunction(source, (propertyName ?? name).text);
      return found ? [{ name: `${index} ${name.text}`, isDocumented: hasComment(source, found) }] : [];
    });
  });
}

test('functions that other folders may import have a doc comment', () => {
  const all = globSync('src/features/{*,connect/*}/index.ts', { cwd: root }).flatMap(exportedFunctions);
  assert.ok(all.length > 150, `${all.length} functions`);
  const without = all.filter(({ isDocumented }) => !isDocumented).map(({ name }) => name);
  const known = ['src/features/events/index.ts eventJobs', 'src/features/webhooks/index.ts createKeys'];
  const wrong = without.filter((name) => !known.includes(name));
  assert.deepEqual(wrong, [], 'say in a line what it returns or does');
});
