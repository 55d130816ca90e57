import assert from 'node:assert/strict';
import { constants, createDecipheriv, createPublicKey, privateDecrypt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

interface Vectors {
  publicKey: string;
  privateKey: string;
  valid: {
    name: string;
    aesKey: string;
    wrapped: string;
    sessionId: string;
    secrets: { what: string; plaintext: string; nonce: string; encrypted: string }[];
  }[];
  invalid: { name: string; sessionId: string }[];
}

const file = path.resolve(import.meta.dirname, '../../../docs/reveal-vectors.json');
const read = (): Vectors => JSON.parse(readFileSync(file, 'utf8'));
const vectors = read();
const bytes = (base64: string) => Buffer.from(base64, 'base64');

/** Not through a typed import: a browser gets this very file. */
const { checkRevealVectors } = (await import(new URL('./reveal-in-browser.js', import.meta.url).href)) as {
  checkRevealVectors(vectors: Vectors): Promise<string[]>;
};

test('WebCrypto agrees with the vectors', async () => {
  assert.deepEqual(await checkRevealVectors(vectors), []);
});

test('the check by WebCrypto finds what does not fit', async () => {
  for (const [spoil, fault] of [
    [({ valid }: Vectors) => (valid[0]!.secrets[0]!.plaintext = '4111111111111112'), /pan opened/],
    [({ valid }: Vectors) => (valid[0]!.secrets[1]!.nonce = valid[0]!.secrets[0]!.nonce), /cvc sealed/],
    [({ valid }: Vectors) => (valid[1]!.wrapped = valid[0]!.wrapped), /the session's key/],
    [({ invalid, valid }: Vectors) => (invalid[0]!.sessionId = valid[0]!.sessionId), /is refused/],
    [({ invalid, valid }: Vectors) => (invalid[0]!.sessionId = valid[2]!.sessionId), /is refused/],
  ] as const) {
    const spoilt = read();
    spoil(spoilt);
    const faults = await checkRevealVectors(spoilt);
    assert.ok(faults.length > 0, `nothing found where ${fault} was expected`);
    assert.match(faults.join('\n'), fault);
  }
});

test('node:crypto agrees with the vectors', () => {
  const oaep = { key: vectors.privateKey, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha1' };
  assert.ok(vectors.valid.length >= 3 && vectors.invalid.length >= 10);
  for (const { name, aesKey, wrapped, sessionId, secrets } of vectors.valid) {
    assert.equal(privateDecrypt(oaep, bytes(sessionId)).toString('base64'), wrapped, name);
    assert.deepEqual(
      secrets.map(({ what }) => what),
      ['pan', 'cvc'],
    );
    for (const { plaintext, nonce, encrypted } of secrets) {
      const sealed = bytes(encrypted);
      assert.deepEqual(sealed.subarray(0, 12), bytes(nonce), name);
      assert.equal(sealed.length, 12 + plaintext.length + 16, name);
      const decipher = createDecipheriv('aes-128-gcm', bytes(aesKey), sealed.subarray(0, 12));
      decipher.setAuthTag(sealed.subarray(-16));
      const opened = Buffer.concat([decipher.update(sealed.subarray(12, -16)), decipher.final()]);
      assert.equal(opened.toString(), plaintext, name);
    }
    assert.notEqual(secrets[0]!.nonce, secrets[1]!.nonce, 'two secrets under one key have two nonces');
  }
});

test('the key of the vectors is one pair of 2048 bits or more, and the file says that it protects nothing', () => {
  const fromPrivate = createPublicKey(vectors.privateKey).export({ type: 'spki', format: 'pem' });
  assert.equal(vectors.publicKey, fromPrivate);
  assert.ok(createPublicKey(vectors.publicKey).asymmetricKeyDetails!.modulusLength! >= 2_048);
  assert.match(readFileSync(file, 'utf8'), /made for this file alone and protects nothing/);
});
