import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Value } from 'typebox/value';
import { propertiesOf, shapeOf } from '#platform/commands/command-description';
import { commands } from '../app.ts';
import { parseCommandLine } from './arguments.ts';
import { examplesOf } from './examples.ts';

/** As a shell would: quotes hold words together. */
const splitWords = (line: string) =>
  [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain!);

for (const command of commands) {
  const lines = examplesOf(command);
  test(`examples of ${command.name} are arguments that it accepts`, () => {
    assert.ok(lines.length > 0);
    for (const line of lines) {
      const start = ['causeway', ...command.name.split('.')];
      assert.doesNotMatch(line, /<\w+>/, 'a placeholder is no example: add examples to the entry');
      const words = splitWords(line);
      assert.deepEqual(words.slice(0, start.length), start);
      const args = words.slice(start.length);
      if (args.some((arg) => arg.startsWith('@'))) continue;
      const { input } = parseCommandLine(command, args);
      assert.ok(Value.Check(command.input, input), `${line}: add examples to the entry`);
    }
    const properties = Object.entries(propertiesOf(command));
    const needsJson = properties.some(
      ([field, one]) => shapeOf(one) && command.input.required?.includes(field),
    );
    if (needsJson)
      assert.ok(
        lines.some((line) => line.includes(`'[{`)),
        'show the JSON',
      );
  });
}
