import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { depthMax, JsonFault, parseStrictJson } from './strict-json.ts';

const parse = (text: string) => parseStrictJson(Buffer.from(text));
const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);

for (const text of [
  '{}',
  '[]',
  'null',
  '0',
  '"a"',
  ' {"a" : [ 1 , {"a":2} ] } ',
  '[{"a":1},{"a":2}]',
  '{"a":{"a":{"a":1}}}',
  '{"a":"{\\"a\\":1,\\"a\\":2}"}',
  '{"a":"b","b":"a"}',
  '{"a":["a","a"]}',
  '{"\\\\":1,"\\"":2}',
  '{"a":"__proto__"}',
  '{"":1,"constructor":2,"toString":3}',
  '"\\ud83d\\ude00"',
  '"\\\\u0000"',
  '{"a":"\\\\ud800"}',
  nested(depthMax),
]) {
  test(`reads ${text.slice(0, 60)}`, () => {
    assert.deepEqual(parse(text), JSON.parse(text));
  });
}

for (const [text, message] of [
  ['', 'Body is not valid JSON'],
  ['{"a":1,}', 'Body is not valid JSON'],
  ['{"a":1} x', 'Body is not valid JSON'],
  ['{"a":1,"a":1}', 'Body has the same key twice in one object'],
  ['[{"b":{"a":{},"c":[],"a":1}}]', 'Body has the same key twice in one object'],
  ['{"a":1,"\\u0061":2}', 'Body has the same key twice in one object'],
  ['{"__proto__":1}', 'Body must not have a key named __proto__'],
  ['[{"a":{"\\u005f_proto__":{}}}]', 'Body must not have a key named __proto__'],
  [nested(depthMax + 1), 'Body is nested deeper than 32 levels'],
  [`{"a":${nested(depthMax)}}`, 'Body is nested deeper than 32 levels'],
  [nested(8_000), 'Body is nested deeper than 32 levels'],
  ['"\\u0000"', 'Body must not contain the character U+0000'],
  ['{"a\\u0000":1}', 'Body must not contain the character U+0000'],
  ['["\\ud800"]', 'Body must not contain an unpaired surrogate'],
  ['["\\ude00\\ud83d"]', 'Body must not contain an unpaired surrogate'],
] as const) {
  test(`refuses ${text.slice(0, 60)}: ${message}`, () => {
    assert.throws(() => parse(text), { name: 'JsonFault', message });
  });
}

for (const bytes of [
  [0xff],
  [0x22, 0xc0, 0x80, 0x22],
  [0x22, 0xed, 0xa0, 0x80, 0x22],
  [0x22, 0xf0, 0x9f, 0x22],
]) {
  test(`refuses bytes that are no UTF-8: ${Buffer.from(bytes).toString('hex')}`, () => {
    assert.throws(() => parseStrictJson(Buffer.from(bytes)), {
      name: 'JsonFault',
      message: 'Body is not valid UTF-8',
    });
  });
}

/** JSON text as it is written, which a value cannot hold: keys in order, some of them twice. */
type Tree = { text: string } | { items: Tree[] } | { entries: [literal: string, Tree][] };

const escaped = (text: string) =>
  `"${Array.from({ length: text.length }, (_, at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`).join('')}"`;
const key = fc
  .constantFrom('a', 'b', 'c', '__proto__x', '{', '"', '\\', 'é', '😀', ',')
  .chain((text) => fc.constantFrom(JSON.stringify(text), escaped(text)));
const rareKey = fc.constantFrom('"__proto__"', escaped('__proto__'));
const { tree } = fc.letrec<{ tree: Tree }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 5 },
    fc.oneof(fc.jsonValue({ maxDepth: 0 }), fc.constantFrom('{"a":1,"a":1}', '\\"', ']')).map((value) => ({
      text: JSON.stringify(value),
    })),
    fc.array(tie('tree'), { maxLength: 4 }).map((items) => ({ items })),
    fc
      .array(
        fc.tuple(fc.oneof({ weight: 40, arbitrary: key }, { weight: 1, arbitrary: rareKey }), tie('tree')),
        {
          maxLength: 4,
        },
      )
      .map((entries) => ({ entries })),
  ),
}));

function render(tree: Tree, space: string): string {
  const joined = (parts: string[]) => parts.join(`${space},${space}`);
  if ('text' in tree) return tree.text;
  if ('items' in tree) return `[${joined(tree.items.map((item) => render(item, space)))}]`;
  return `{${joined(tree.entries.map(([literal, value]) => `${literal}${space}:${render(value, space)}`))}}`;
}

function isSound(tree: Tree, depth = 1): boolean {
  if ('text' in tree) return !/(?<!\\)(?:\\\\)*\\u(0000|d[89a-f])/.test(tree.text);
  if (depth > depthMax) return false;
  if ('items' in tree) return tree.items.every((item) => isSound(item, depth + 1));
  const names = tree.entries.map(([literal]) => JSON.parse(literal));
  if (names.includes('__proto__') || new Set(names).size < names.length) return false;
  return tree.entries.every(([, value]) => isSound(value, depth + 1));
}

function isAccepted(text: string): boolean {
  try {
    parse(text);
    return true;
  } catch (error) {
    assert.ok(error instanceof JsonFault, `${error}`);
    return false;
  }
}

test('accepts exactly the texts without a fault, and reads them as JSON.parse does', () => {
  const wrapping = fc.oneof(
    { weight: 9, arbitrary: fc.constant(0) },
    { weight: 1, arbitrary: fc.integer({ min: 26, max: 34 }) },
  );
  let accepted = 0;
  let refused = 0;
  fc.assert(
    fc.property(tree, wrapping, fc.constantFrom('', ' ', '\n\t'), (inner, wraps, space) => {
      let whole: Tree = inner;
      for (let count = 0; count < wraps; count++) whole = { items: [whole] };
      const text = render(whole, space);
      assert.equal(isAccepted(text), isSound(whole), text);
      if (!isSound(whole)) return void refused++;
      accepted++;
      assert.deepEqual(parse(text), JSON.parse(text));
    }),
    { numRuns: 3_000 },
  );
  assert.ok(accepted > 300 && refused > 300, `${accepted} accepted, ${refused} refused`);
});

test('never accepts what JSON.parse refuses', () => {
  const broken = fc
    .tuple(tree, fc.nat(), fc.constantFrom('', '"', '{', ']', ',', ':', '\\', '\u0001'))
    .map(([tree, at, put]) => {
      const text = render(tree, '');
      const cut = at % (text.length + 1);
      return text.slice(0, cut) + put + text.slice(cut + 1);
    });
  fc.assert(
    fc.property(fc.oneof(broken, fc.string()), (text) => {
      if (!isAccepted(text)) return;
      assert.doesNotThrow(() => JSON.parse(text));
    }),
    { numRuns: 3_000 },
  );
});
