import assert from 'node:assert/strict';
import { constants, createPrivateKey, publicEncrypt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { makeCardCode, makeCardNumber } from './card-number.ts';
import { encryptSecret, readSession, unwrapKey } from './reveal.ts';

const file = path.resolve(import.meta.dirname, '../../../docs/reveal-vectors.json');
const vectors = JSON.parse(readFileSync(file, 'utf8'));
const privateKey = createPrivateKey(vectors.privateKey);
const bytes = (base64: string) => Buffer.from(base64, 'base64');

for (const { name, aesKey, sessionId, secrets } of vectors.valid) {
  test(`the sandbox's issuer agrees with the vector: ${name}`, () => {
    assert.equal(unwrapKey(privateKey, readSession(sessionId))?.toString('base64'), aesKey);
    for (const { plaintext, nonce, encrypted } of secrets) {
      assert.equal(encryptSecret(bytes(aesKey), plaintext, bytes(nonce)), encrypted);
    }
  });
}

for (const { name, sessionId } of vectors.invalid) {
  test(`no key: ${name}`, () => {
    assert.equal(unwrapKey(privateKey, readSession(sessionId)), undefined);
  });
}

test('no session: text that is not base64, or is too long', () => {
  for (const text of ['', ' ', '=', 'a=b', 'a'.repeat(2_001), 'ключ', '{}', 'YQ===', '\0']) {
    assert.equal(readSession(text), undefined, JSON.stringify(text));
    assert.equal(unwrapKey(privateKey, readSession(text)), undefined);
  }
});

test('one session however it is written down; a zero more or less before it is not a second one', () => {
  const { sessionId } = vectors.valid[0];
  const { digest } = readSession(sessionId)!;
  const lastDigit = sessionId.at(-3);
  // The bits of the last character that no byte needs.
  const spare = String.fromCharCode(lastDigit.charCodeAt(0) + 1);
  for (const other of [
    sessionId.replaceAll('=', ''),
    sessionId.replaceAll('+', '-').replaceAll('/', '_'),
    sessionId.replaceAll(/.{64}/g, '$&\r\n'),
    ` ${sessionId}\n`,
    `${sessionId.slice(0, -3)}${spare}==`,
  ]) {
    assert.notEqual(other, sessionId);
    assert.equal(readSession(other)?.digest, digest, other);
  }
  const padded = Buffer.concat([Buffer.alloc(1), bytes(sessionId)]).toString('base64');
  assert.equal(unwrapKey(privateKey, readSession(padded)), undefined);

  const key = bytes(vectors.valid[0].aesKey);
  const wrap = () =>
    publicEncrypt({ key: vectors.publicKey, padding: constants.RSA_PKCS1_OAEP_PADDING }, key);
  let wrapped = wrap();
  while (wrapped[0] !== 0) wrapped = wrap();
  assert.deepEqual(unwrapKey(privateKey, readSession(wrapped.toString('base64'))), key);
  const stripped = wrapped.subarray(1).toString('base64');
  assert.equal(unwrapKey(privateKey, readSession(stripped)), undefined);
});

test('two encryptions of one text under one key have nothing in common', () => {
  const key = bytes(vectors.valid[0].aesKey);
  const nonces = Array.from({ length: 1_000 }, () => encryptSecret(key, '123').slice(0, 16));
  assert.equal(new Set(nonces).size, 1_000);
});

test('card numbers have 16 digits of the test range and a right check digit, codes have 3 digits', () => {
  const numbers = Array.from({ length: 500 }, makeCardNumber);
  for (const number of numbers) {
    assert.match(number, /^411111[0-9]{10}$/);
    const digits = [...number].reverse().map(Number);
    const sum = digits.reduce((sum, digit, at) => sum + [digit, (digit * 2) % 9 || (digit && 9)][at % 2]!, 0);
    assert.equal(sum % 10, 0, number);
  }
  assert.ok(new Set(numbers).size >= 499);
  for (let times = 0; times < 500; times++) assert.match(makeCardCode(), /^[0-9]{3}$/);
});
