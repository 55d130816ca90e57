import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { Type } from 'typebox';
import { parseCommandLine } from './arguments.ts';
import { UsageFault } from './exit-codes.ts';
import { describeCommand } from './help.ts';
import { nameFlags } from './name-flags.ts';

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
    years: Type.Optional(Type.Array(Type.Integer())),
  }),
};

const optional = { ...command, input: Type.Partial(command.input) };

for (const [args, input] of [
  [['--car-id', 'a', '--coats', '2'], { carId: 'a', coats: 2 }],
  [['--carId', 'a', '--coats=-2'], { carId: 'a', coats: -2 }],
  [['--car', 'a'], { carId: 'a' }],
  [['--glossy', '--motto', ''], { glossy: true, motto: null }],
  [['--no-glossy', '--motto', 'go'], { glossy: false, motto: 'go' }],
  [['--colours', 'red, blue'], { colours: ['red', 'blue'] }],
  [['--colours', 'red', '--colours', 'blue'], { colours: ['red', 'blue'] }],
  [['--colours', '["red","blue"]'], { colours: ['red', 'blue'] }],
  [['--colours', ''], { colours: [] }],
  [['--years', '1998,2004'], { years: [1998, 2004] }],
  [['--owner', '{"name":"Ana"}'], { owner: { name: 'Ana' } }],
  [
    ['--parts', '[{"part":"door"},{"part":"roof, front"}]'],
    { parts: [{ part: 'door' }, { part: 'roof, front' }] },
  ],
] as const) {
  test(`flags: ${args.join(' ')}`, () => {
    assert.deepEqual(parseCommandLine(optional, [...args]).input, input);
  });
}

test('a required id needs no flag, before and after flags', () => {
  for (const args of [
    ['c-1', '--coats', '2'],
    ['--coats', '2', 'c-1'],
    ['--coats', '2', '--', 'c-1'],
  ]) {
    assert.deepEqual(parseCommandLine(command, args).input, { carId: 'c-1', coats: 2 });
  }
  const byColour = { ...optional, positional: ['motto'] };
  assert.deepEqual(parseCommandLine(byColour, ['go']).input, { motto: 'go' });
});

test('JSON from a file', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'causeway-json-'));
  after(() => rmSync(folder, { recursive: true, force: true }));
  const file = path.join(folder, 'parts.json');
  writeFileSync(file, '[{"part":"door"}]');
  assert.deepEqual(parseCommandLine(optional, ['--parts', `@${file}`]).input, { parts: [{ part: 'door' }] });
  writeFileSync(file, '[{');
  refuses(
    ['--parts', `@${file}`],
    `--parts must be JSON, @file.json, or - for standard input. ${file} is not JSON: `,
  );
  refuses(['--parts', '@/none.json'], '--parts: /none.json cannot be read: there is no such file.');
});

test('a file as an argument: its bytes in base64, and an empty text where it may be empty', () => {
  const file = Type.String({ contentEncoding: 'base64' });
  const framed = { ...command, input: Type.Object({ picture: Type.Union([file, Type.Null()]) }) };
  const read = (given: string) => parseCommandLine(framed, ['--picture', given]).input;
  assert.deepEqual(read('@test/data/logo.png'), { picture: readFileSync('test/data/logo.png', 'base64') });
  assert.deepEqual(read(''), { picture: null });
  assert.throws(() => read('logo.png'), {
    message: '--picture must be @ and the name of a file, or - for standard input.',
  });
});

for (const [args, message] of [
  [['--wheels', '4'], 'Unknown flag --wheels. See: causeway cars paint --help'],
  [['--glosy'], 'Unknown flag --glosy. Did you mean --glossy? See: causeway cars paint --help'],
  [['--motot', 'x'], 'Unknown flag --motot. Did you mean --motto? See: causeway cars paint --help'],
  [['a', 'red'], "Unexpected argument 'red'. See: causeway cars paint --help"],
  [['a', '--car-id', 'b'], '--car-id is given twice. See: causeway cars paint --help'],
  [['--car', 'a', '--carId', 'b'], '--car-id is given twice. See: causeway cars paint --help'],
  [['--coats', '2'], 'Missing --car-id. See: causeway cars paint --help'],
  [['--car-id'], '--car-id needs a value. See: causeway cars paint --help'],
  [
    ['a', '--coats', '-2'],
    '--coats needs a value. One that starts with a dash is written --coats=<value>. See: causeway cars paint',
  ],
  [['a', '--coats=two'], '--coats must be a whole number.'],
  [['a', '--wide=yes'], '--wide takes no value. See: causeway cars paint --help'],
  [['a', '-x'], 'Unknown flag -x. See: causeway cars paint --help'],
  [['a', '--wide', '--csv'], 'Pass --wide or --csv, not both. See: causeway cars paint --help'],
  [['a', '--owner', 'Ana'], '--owner must be JSON, @file.json, or - for standard input. It is not JSON: '],
] as const) {
  test(`arguments that are wrong: ${args.join(' ')}`, () => refuses([...args], message));
}

function refuses(args: string[], message: string): void {
  assert.throws(
    () => parseCommandLine(command, args),
    (error: Error) => {
      assert.ok(error instanceof UsageFault);
      assert.ok(error.message.startsWith(message), error.message);
      assert.ok(!error.message.includes('\n'));
      return true;
    },
  );
}

test('missing flags: with their choices, and the order of ids that need no flag', () => {
  const input = Type.Object({ carId: Type.String(), id: Type.String(), colour: Type.Enum(['red', 'blue']) });
  assert.throws(() => parseCommandLine({ ...command, input }, ['order-1']), {
    message:
      'Missing --id, --colour (red, blue). Without flags the order is <car-id> <id>. See: causeway cars paint --help',
  });
});

test('a refusal names flags where the server names fields, and leaves other sentences alone', () => {
  const refusal = (error: string, ...fields: string[]) =>
    nameFlags(command, { error, details: fields.map((field) => ({ field, message: 'is wrong' })) });
  assert.equal(
    refusal('carId must be a UUID', 'carId', 'parts.0.part'),
    '--car-id must be a UUID\n--parts.0.part is wrong',
  );
  assert.equal(refusal('parts[17]: no such part'), '--parts[17]: no such part');
  assert.equal(refusal('motto must be shorter'), '--motto must be shorter');
  assert.equal(refusal('motto is not what we paint'), 'motto is not what we paint');
  assert.equal(refusal('Car not found'), 'Car not found');
  assert.equal(refusal('Unknown field: parts.0.x', 'parts.0.x'), 'Unknown field: parts.0.x');
  const nothing = refusal('body must have at least 2 fields', 'body');
  assert.equal(nothing, 'Nothing to change: give at least one more flag.');
});

test('help names every flag, what it takes, and which must be given', () => {
  const help = describeCommand(command);
  assert.match(help, /^causeway cars paint: Paint a car\.$/m);
  assert.match(help, /^ {2}--car-id <text> +Which car \(required\)$/m);
  assert.match(help, /^ {2}--\[no-\]glossy$/m);
  assert.match(help, /^ {2}--colours <list> +One of red, blue$/m);
  for (const flag of ['--wide, --json, --csv', '--url', '--token']) assert.ok(help.includes(`  ${flag}`));
  assert.match(help, /^ {2}causeway cars paint <car-id> \[flags\]$/m);
  assert.match(
    help,
    /^--parts is a JSON list of objects, @file\.json, or - for standard input:\n {2}part <text> {2}\(required\)$/m,
  );
  assert.match(help, /^Examples:\n {2}causeway cars paint 0198a6a0-/m);
});
