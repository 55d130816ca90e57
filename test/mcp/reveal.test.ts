import assert from 'node:assert/strict';
import { webcrypto } from 'node:crypto';
import { after, test } from 'node:test';
import { makeKey } from '#test/data/factories';
import { startTestIssuer } from '#test/outside/issuer';
import { noteSecret, useHarness } from '../harness.ts';
import { type Connected, client1, client2 } from './official-clients.ts';

// A reveal as an agent does it: an official client, WebCrypto, and nothing of ours but what the tools say.

const sandbox = await startTestIssuer();
after(() => sandbox.stop());
const harness = useHarness({ issuer: sandbox.issuer });
const { subtle } = webcrypto;

/** A new AES-128 key, and it wrapped for the issuer. */
async function startSession(client: Connected) {
  const { publicKey, algorithm, hash } = (await client.callTool('getCardRevealPublicKey')).structuredContent;
  assert.deepEqual([algorithm, hash], ['RSA-OAEP', 'SHA-1']);
  const der = Buffer.from(publicKey.replaceAll(/-----[A-Z ]+-----|\s/g, ''), 'base64');
  const wrapping = await subtle.importKey('spki', der, { name: algorithm, hash }, false, ['wrapKey']);
  const key = await subtle.generateKey({ name: 'AES-GCM', length: 128 }, true, ['decrypt']);
  const wrapped = await subtle.wrapKey('raw', key, wrapping, { name: algorithm });
  return { key, sessionId: noteSecret(Buffer.from(wrapped).toString('base64')) };
}

/** Nonce, ciphertext, tag. */
async function open(key: webcrypto.CryptoKey, encrypted: string): Promise<string> {
  const bytes = Buffer.from(noteSecret(encrypted), 'base64');
  const algorithm = { name: 'AES-GCM', iv: bytes.subarray(0, 12), tagLength: 128 };
  return Buffer.from(await subtle.decrypt(algorithm, key, bytes.subarray(12))).toString();
}

for (const kind of [client2({ pin: '2026-07-28' }, '2026-07-28'), client1('2025-11-25')]) {
  test(`${kind.title}: key, session, reveal, and the number is the one in the issuer’s vault`, async () => {
    const { token } = await makeKey(harness, { scopes: ['mcp', 'mcp_card_reveal', 'mcp:write'] });
    const client = await kind.connect(harness, token);
    await client.listTools();
    const known = new Set(await sandbox.vaultNumbers());
    const made = (await client.callTool('createUserCards', { cards: [{ spendingLimit: '10' }] }))
      .structuredContent;
    const { id: cardId, cardIssuerUserId, lastFourDigits } = made.cards[0];
    const [number] = (await sandbox.vaultNumbers()).filter((number) => !known.has(number));

    const { key, sessionId } = await startSession(client);
    const request = { cardId, cardIssuerUserId, includeCardSecrets: true, sessionId };
    const { structuredContent, isError } = await client.callTool('getUserCards', request);
    assert.ok(!isError);
    assert.deepEqual(
      structuredContent.cards.map(({ id }: { id: string }) => id),
      [cardId],
    );
    const { encryptedPan, encryptedCvc } = structuredContent.cardSecrets;
    const pan = noteSecret(await open(key, encryptedPan));
    assert.ok(pan === number, 'the number is that of the card which was made');
    assert.equal(pan.slice(-4), lastFourDigits);
    assert.match(await open(key, encryptedCvc), /^[0-9]{3}$/);

    // Nothing that passed on the wire has the number, and a session is good once.
    const passed = JSON.stringify(client.exchanges.map(({ message, answer }) => [message, answer]));
    assert.ok(passed.includes(encryptedPan) && !passed.includes(pan));
    const again = await client.callTool('getUserCards', request);
    assert.equal(again.isError, true);
    assert.match(again.content[0]!.text, /session/i);
    const other = await startSession(client);
    await assert.rejects(open(other.key, encryptedPan), 'no other key opens it');
    await client.close();
    assert.deepEqual(client.errors, []);
  });
}

test('what is missing for a reveal is said, and none is made', async () => {
  const { token } = await makeKey(harness, { scopes: ['mcp', 'mcp_card_reveal'] });
  const client = await client2('auto', '2026-07-28').connect(harness, token);
  await client.listTools();
  const { isError, content } = await client.callTool('getUserCards', { includeCardSecrets: true });
  assert.equal(isError, true);
  assert.match(content[0]!.text, /cardId, cardIssuerUserId, sessionId/);
  await client.close();
});
