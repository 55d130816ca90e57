import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { createSealer } from './seal.ts';

const [oldKey, newKey] = [randomBytes(32), randomBytes(32)];
const sealer = createSealer(new Map([[1, oldKey]]));
const place = 'users.tax_id 0198a0de-0000-7000-8000-000000000001';

test('opens what it sealed, whatever the text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.string(), (text, somewhere) => {
      assert.equal(sealer.open(somewhere, sealer.seal(somewhere, text)), text);
    }),
  );
});

test('one text sealed twice gives two values that share nothing but the header', () => {
  const [one, other] = [sealer.seal(place, '123-45-6789'), sealer.seal(place, '123-45-6789')];
  assert.deepEqual(one.subarray(0, 3), other.subarray(0, 3));
  // The wrapped data key starts with its nonce; the value's nonce follows the 60 bytes of the wrapped key.
  for (const at of [3, 3 + 60]) assert.notDeepEqual(one.subarray(at, at + 12), other.subarray(at, at + 12));
  assert.equal(one.includes('123-45-6789'), false);
});

test('does not open at another row, column or table', () => {
  const sealed = sealer.seal(place, 'secret');
  for (const elsewhere of [
    place.replace(/1$/, '2'),
    place.replace('tax_id', 'document_number'),
    '',
    `${place} `,
  ]) {
    assert.throws(() => sealer.open(elsewhere, sealed), /unable to authenticate data/);
  }
});

test('does not open when any single byte was changed, or when it was cut short or made longer', () => {
  const sealed = sealer.seal(place, 'secret');
  for (let at = 0; at < sealed.length; at++) {
    const changed = Buffer.from(sealed);
    changed[at]! ^= 1;
    assert.throws(() => sealer.open(place, changed), Error, `byte ${at}`);
    assert.throws(() => sealer.open(place, sealed.subarray(0, at)), Error, `cut to ${at} bytes`);
  }
  assert.throws(() => sealer.open(place, Buffer.concat([sealed, Buffer.alloc(1)])));
});

test('does not open with a value and a data key of two seals', () => {
  const [one, other] = [sealer.seal(place, 'one'), sealer.seal(place, 'two')];
  assert.throws(() => sealer.open(place, Buffer.concat([one.subarray(0, 63), other.subarray(63)])));
});

test('rotation: new values use the highest version, and old ones open as long as their key is there', () => {
  const both = createSealer(
    new Map([
      [2, newKey],
      [1, oldKey],
    ]),
  );
  const onlyNew = createSealer(new Map([[2, newKey]]));
  const [before, after] = [sealer.seal(place, 'before'), both.seal(place, 'after')];
  assert.equal(both.open(place, before), 'before');
  assert.equal(both.open(place, after), 'after');
  assert.equal(onlyNew.open(place, after), 'after');
  assert.throws(() => onlyNew.open(place, before), {
    message: 'no encryption key of version 1 is configured',
  });
  assert.throws(() => sealer.open(place, after), { message: 'no encryption key of version 2 is configured' });
});

test('does not open with another key of the same version', () => {
  const stranger = createSealer(new Map([[1, newKey]]));
  assert.throws(() => stranger.open(place, sealer.seal(place, 'secret')), /unable to authenticate data/);
});
