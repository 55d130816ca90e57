// The operator commands as data, for a CLI that need not load the app. `npm run commands` writes
// src/commands.json and docs/cli.md; command-list.test.ts compares.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { CommandDescription } from '#platform/commands/command-description';
import { commands } from '../../src/app.ts';
import { writeCommandDocs } from './command-docs.ts';

const file = path.resolve(import.meta.dirname, '../../src/commands.json');
export const docsFile = path.resolve(import.meta.dirname, '../../docs/cli.md');

export function listCommands(): CommandDescription[] {
  const described = commands.map(
    ({ changes, needsPrimary, roles, stepUp, bodyBytesMax, output, run, ...described }) => described,
  );
  return JSON.parse(JSON.stringify(described, leaveOutConstraints));
}

/** The server checks values; the CLI needs the kind of each field and the words about it. */
const leaveOutConstraints = (key: string, value: unknown) =>
  constraints.includes(key) && typeof value !== 'object' ? undefined : value;
const constraints = [
  'pattern',
  'format',
  'minLength',
  'maxLength',
  'minimum',
  'maximum',
  'minItems',
  'maxItems',
].concat([
  'exclusiveMinimum',
  'exclusiveMaximum',
  'additionalProperties',
  'uniqueItems',
  'default',
  'minProperties',
]);

if (process.argv.includes('--write')) {
  writeFileSync(file, JSON.stringify(listCommands()));
  writeFileSync(docsFile, writeCommandDocs(listCommands()));
}
