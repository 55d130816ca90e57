import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
// @ts-expect-error: the driver has no types for it.
import { prepareValue } from 'pg/lib/utils.js';
import { encodeArray } from './encode-array.ts';

const value = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: fc.constantFrom('"', '\\', ',', '{', '}', 'N', ' ', '\n', 'é', '\u{1f600}') }),
  fc.constantFrom('', 'NULL', 'null', null, undefined, -0, Number.NaN, 1e21, 2n ** 80n),
  fc.uint8Array().map((bytes) => Buffer.from(bytes)),
  fc.double(),
  fc.boolean(),
  fc.bigInt(),
  fc.uuid(),
);

test('arrays: the same text as the driver writes', () => {
  fc.assert(
    fc.property(fc.array(value, { maxLength: 20 }), (values) =>
      assert.equal(encodeArray(values), prepareValue(values)),
    ),
    { numRuns: 2_000 },
  );
});

test('arrays with dates, arrays or objects are left to the driver', () => {
  for (const one of [new Date(), ['a'], { a: 1 }, new Uint8Array(2)])
    assert.equal(encodeArray(['a', one]), undefined);
});
