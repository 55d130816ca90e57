import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { createLinkCodes } from './link-codes.ts';

const [first, second] = [randomBytes(32), randomBytes(32)];
const codes = createLinkCodes(new Map([[1, first]]));

test('a code opens to its value for its purpose, and the same value is the same code', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1, maxLength: 90 }), (bytes) => {
      const value = Buffer.from(bytes);
      const code = codes.sealCode('test', value);
      assert.match(code, /^[\w-]+$/);
      assert.deepEqual(codes.openCode('test', code), value);
      assert.equal(codes.sealCode('test', value), code);
      assert.equal(codes.openCode('other', code), undefined);
    }),
  );
});

test('no other text opens: one character changed, cut, longer, spelt otherwise, empty', () => {
  const code = codes.sealCode('test', Buffer.from('the value'));
  for (let at = 0; at < code.length; at++) {
    const other = code[at] === 'A' ? 'B' : 'A';
    assert.equal(codes.openCode('test', code.slice(0, at) + other + code.slice(at + 1)), undefined);
    assert.equal(codes.openCode('test', code.slice(0, at)), undefined);
  }
  for (const text of [`${code}A`, `${code}=`, ` ${code}`]) {
    assert.equal(codes.openCode('test', text), undefined);
  }
});

test('after a rotation old codes open while their key is there, and new ones use the new key', () => {
  const value = Buffer.from('the value');
  const old = codes.sealCode('test', value);
  const both = createLinkCodes(
    new Map([
      [1, first],
      [2, second],
    ]),
  );
  const later = createLinkCodes(new Map([[2, second]]));
  assert.deepEqual(both.openCode('test', old), value);
  assert.notEqual(both.sealCode('test', value), old);
  assert.equal(both.sealCode('test', value), later.sealCode('test', value));
  assert.equal(later.openCode('test', old), undefined);
});
