import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Type } from 'typebox';
import { parseCommandLine } from './arguments.ts';
import { UsageFault } from './exit-codes.ts';
import { describeCommand } from './help.ts';

const command = {
  name: 'cars.paint',
  summary: 'Paint a car.',
  input: Type.Object({
    carId: Type.String({ description: 'Which car' }),
    coats: Type.Optional(Type.Integer()),
    glossy: Type.Optional(Type.Boolean()),
    colours: Type.Optional(Type.Array(Type.Enum(['red', 'blue']))),
    motto: Type.Optional(Type.Union([Type.String(), Type.Null()])),
    owner: Type.Optional(Type.Object({ name: Type.String() })),
    parts: Type.Optional(Type.Array(Type.Object({ part: Type.String() }))),
  }),
};

for (const [args, input] of [
  [['--car-id', 'a', '--coats', '2'], { carId: 'a', coats: 2 }],
  [['--carId', 'a', '--coats=two'], { carId: 'a', coats: 'two' }],
  [['--glossy', '--motto', ''], { glossy: true, motto: null }],
  [['--no-glossy', '--motto', 'go'], { glossy: false, motto: 'go' }],
  [['--colours', 'red, blue'], { colours: ['red', 'blue'] }],
  [['--colours', 'red', '--colours', 'blue'], { colours: ['red', 'blue'] }],
  [['--colours', ''], { colours: [] }],
  [['--owner', '{"name":"Ana"}'], { owner: { name: 'Ana' } }],
  [
    ['--parts', '[{"part":"door"},{"part":"roof, front"}]'],
    { parts: [{ part: 'door' }, { part: 'roof, front' }] },
  ],
] as const) {
  test(`flags: ${args.join(' ')}`, () => {
    assert.deepEqual(parseCommandLine(command, [...args]).input, input);
  });
}

for (const [args, message] of [
  [['--wheels', '4'], "Unknown option '--wheels'. See: causeway cars paint --help"],
  [['red'], "Unexpected argument 'red'. See: causeway cars paint --help"],
  [['--car-id'], "Option '--car-id <value>' argument missing. See: causeway cars paint --help"],
  [['--owner', 'Ana'], '--owner must be JSON.'],
] as const) {
  test(`flags that are wrong: ${args.join(' ')}`, () => {
    assert.throws(
      () => parseCommandLine(command, [...args]),
      (error: Error) => {
        assert.ok(error instanceof UsageFault);
        assert.ok(error.message.startsWith(message.split('.')[0]!), error.message);
        assert.ok(!error.message.includes('\n'));
        return true;
      },
    );
  });
}

test('help names every flag, what it takes, and which must be given', () => {
  const help = describeCommand(command);
  assert.match(help, /^causeway cars paint: Paint a car\.$/m);
  assert.match(help, /^ {2}--car-id <string> +required; Which car$/m);
  assert.match(help, /^ {2}--glossy$/m);
  assert.match(help, /^ {2}--colours <array> +one of red, blue$/m);
  for (const flag of ['--wide, --json, --csv', '--url', '--token']) assert.ok(help.includes(`  ${flag}`));
});
