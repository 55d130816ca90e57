import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { writeCommandDocs } from '#test/generate/command-docs';
import { docsFile, listCommands } from '#test/generate/command-list';
import { flagsOf, shapesOf } from '../src/cli/help.ts';
import commandList from '../src/commands.json' with { type: 'json' };

test('src/commands.json describes the operator commands of the app', () => {
  assert.deepEqual(commandList, listCommands(), 'run `npm run commands`');
});

test('docs/cli.md is the help of every command', () => {
  assert.equal(readFileSync(docsFile, 'utf8'), writeCommandDocs(listCommands()), 'run `npm run commands`');
});

test('every flag and every field of a JSON argument is explained', () => {
  const bare = listCommands().flatMap((command) =>
    [...flagsOf(command), ...shapesOf(command).flatMap(({ fields }) => fields)]
      .filter(([, words]) => words.replace('(required)', '') === '')
      .map(([name]) => `${command.name} ${name}`),
  );
  assert.deepEqual(bare, [], 'add a description to the schema, or to src/field-words.ts');
});
