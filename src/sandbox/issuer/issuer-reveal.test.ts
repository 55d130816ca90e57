import assert from 'node:assert/strict';
import { constants, generateKeyPairSync, publicEncrypt, randomBytes, randomUUID } from 'node:crypto';
import { globSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { type EncryptedSecrets, type IssuerCard, IssuerFault } from '#adapters/issuer';
import { ask, testFolder } from '#test/harness';
import { startTestIssuer, type TestIssuer } from '#test/outside/issuer';

const caller = (await import(
  new URL('../../adapters/issuer/reveal-in-browser.js', import.meta.url).href
)) as {
  startSession(publicKeyPem: string): Promise<{ key: Uint8Array; sessionId: string }>;
  openSecret(key: Uint8Array, encrypted: string): Promise<string>;
};

let server: TestIssuer;
let publicKey: string;
let card: IssuerCard;

before(async () => {
  server = await startTestIssuer();
  publicKey = await server.issuer.readRevealKey();
  card = await makeCard();
});
after(() => server?.stop());

const terms = {
  name: 'ANA LIMA',
  nickname: null,
  spendingLimit: '500.00',
  spendingInterval: 'monthly',
} as const;
async function makeCard(): Promise<IssuerCard> {
  const { issuer } = server;
  const { id } = await issuer.createUser({ reference: randomUUID(), idempotencyKey: randomUUID() });
  const request = { cardIssuerUserId: id, cards: [terms], idempotencyKey: randomUUID() };
  return (await issuer.createCards(request))[0]!;
}

const reveal = (sessionId: string, { id: cardId, cardIssuerUserId } = card) =>
  server.issuer.reveal({ cardId, cardIssuerUserId, sessionId });
const reasonOf = (call: Promise<unknown>) =>
  call.then(
    () => 'revealed',
    (error) => (error instanceof IssuerFault ? error.reason : assert.fail(error)),
  );
const openBoth = async (key: Uint8Array, { encryptedPan, encryptedCvc }: EncryptedSecrets) => [
  await caller.openSecret(key, encryptedPan),
  await caller.openSecret(key, encryptedCvc),
];

const oaep = { padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha1' };
const wrap = (bytes: Buffer, options: object = oaep, key = publicKey) =>
  publicEncrypt({ key, ...options }, bytes);

test('the key is an RSA key of 2048 bits, the same after a restart', async () => {
  assert.match(publicKey, /^-----BEGIN PUBLIC KEY-----\n/);
  const other = await startTestIssuer();
  try {
    const othersKey = await other.issuer.readRevealKey();
    assert.notEqual(othersKey, publicKey, 'no sandbox shares it with another');
    await other.crash();
    assert.equal(await other.issuer.readRevealKey(), othersKey);
  } finally {
    await other.stop();
  }
});

test('a caller with WebCrypto opens the number and the code of the card, and nobody else’s', async () => {
  const numbers = new Set(await server.vaultNumbers());
  const cards = [card, await makeCard(), await makeCard()];
  const seen = new Set<string>();
  for (const each of cards) {
    const { key, sessionId } = await caller.startSession(publicKey);
    const [number, code] = await openBoth(key, await reveal(sessionId, each));
    assert.match(number!, /^411111[0-9]{10}$/);
    assert.equal(number!.slice(-4), each.lastFourDigits);
    assert.match(code!, /^[0-9]{3}$/);
    seen.add(number!);
  }
  assert.equal(seen.size, 3);
  assert.ok(numbers.has([...seen][0]!));
});

test('the same card has the same number and code each time, under fresh nonces', async () => {
  const bytes = randomBytes(16);
  const answers = await Promise.all(Array.from({ length: 5 }, () => reveal(wrap(bytes).toString('base64'))));
  const opened = await Promise.all(answers.map((answer) => openBoth(bytes, answer)));
  for (const both of opened) assert.deepEqual(both, opened[0]);
  const nonces = answers.flatMap(({ encryptedPan, encryptedCvc }) => [
    encryptedPan.slice(0, 16),
    encryptedCvc.slice(0, 16),
  ]);
  assert.equal(new Set(nonces).size, 10);
});

test('a key that was wrapped as its base64 text works as well', async () => {
  const key = randomBytes(16);
  const sessionId = wrap(Buffer.from(key.toString('base64'))).toString('base64');
  assert.equal((await openBoth(key, await reveal(sessionId)))[0]!.slice(-4), card.lastFourDigits);
});

test('session-used: a session is good once, however it is written down, for whatever card, after a crash too', async () => {
  const { sessionId } = await caller.startSession(publicKey);
  await reveal(sessionId);
  const other = await makeCard();
  const spellings = [
    sessionId,
    sessionId.replaceAll('=', ''),
    sessionId.replaceAll('+', '-').replaceAll('/', '_'),
    sessionId.replaceAll(/.{64}/g, '$&\n'),
  ];
  for (const spelling of spellings) {
    assert.equal(await reasonOf(reveal(spelling)), 'session-used');
    assert.equal(await reasonOf(reveal(spelling, other)), 'session-used');
  }
  await server.crash();
  for (const spelling of spellings) assert.equal(await reasonOf(reveal(spelling)), 'session-used');
});

test('of many reveals with one session at once, one succeeds', async () => {
  const { sessionId } = await caller.startSession(publicKey);
  const reasons = await Promise.all(Array.from({ length: 20 }, () => reasonOf(reveal(sessionId))));
  assert.equal(reasons.filter((reason) => reason === 'revealed').length, 1);
  assert.equal(reasons.filter((reason) => reason === 'session-used').length, 19);
});

test('a reveal that is not allowed uses no session up', async () => {
  const { key, sessionId } = await caller.startSession(publicKey);
  const canceled = await makeCard();
  await server.issuer.updateCard({ cardId: canceled.id, status: 'canceled', idempotencyKey: randomUUID() });
  const other = await makeCard();
  for (const [which, reason] of [
    [{ ...card, id: 'card_none' }, 'not-found'],
    [{ ...card, cardIssuerUserId: other.cardIssuerUserId }, 'not-found'],
    [{ ...card, cardIssuerUserId: 'ciu_none' }, 'not-found'],
    [canceled, 'refused'],
  ] as const) {
    assert.equal(await reasonOf(reveal(sessionId, which)), reason);
  }
  assert.equal((await openBoth(key, await reveal(sessionId)))[0]!.slice(-4), card.lastFourDigits);
});

test('session-invalid: one answer, byte for byte, and one time for whatever cannot be unwrapped', async () => {
  const stranger = generateKeyPairSync('rsa', { modulusLength: 2_048 }).publicKey;
  const strangersKey = stranger.export({ type: 'spki', format: 'pem' }) as string;
  const key = randomBytes(16);
  const good = wrap(key);
  const altered = Buffer.from(good);
  altered[altered.length - 1]! ^= 1;
  const bytes: Record<string, Buffer> = {
    'under another key': wrap(key, oaep, strangersKey),
    'with SHA-256': wrap(key, { ...oaep, oaepHash: 'sha256' }),
    'with PKCS #1 v1.5': wrap(key, { padding: constants.RSA_PKCS1_PADDING }),
    'a key of 32 bytes': wrap(randomBytes(32)),
    'a key of 24 bytes': wrap(Buffer.alloc(24, 0xff)),
    'an empty key': wrap(Buffer.alloc(0)),
    'a bit altered': altered,
    'a byte short': good.subarray(1),
    'a zero before it': Buffer.concat([Buffer.alloc(1), good]),
    'above the modulus': Buffer.alloc(256, 0xff),
    'all zeros': Buffer.alloc(256),
    'the key itself': key,
  };
  const texts: Record<string, string> = {
    ...Object.fromEntries(Object.entries(bytes).map(([what, value]) => [what, value.toString('base64')])),
    nothing: '',
    'not base64': '*'.repeat(344),
    'too long': 'A'.repeat(10_000),
    'hexadecimal digits': good.toString('hex'),
  };
  const answers = new Map<string, string[]>();
  for (const [what, sessionId] of Object.entries(texts)) {
    const startedAt = performance.now();
    const response = await fetch(`${server.url}/v1/cards/${card.id}/reveal`, {
      method: 'POST',
      headers: { authorization: `Bearer ${server.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ cardIssuerUserId: card.cardIssuerUserId, sessionId }),
    });
    const text = `${response.status} ${await response.text()}`;
    const ms = performance.now() - startedAt;
    assert.ok(ms >= 24, `${what}: after ${ms} ms`);
    answers.set(text, [...(answers.get(text) ?? []), what]);
    assert.equal(await reasonOf(reveal(sessionId)), 'session-invalid', what);
  }
  assert.deepEqual([...answers.values()], [Object.keys(texts)], 'all the same');
  assert.deepEqual(
    await openBoth(key, await reveal(good.toString('base64'))).then(([pan]) => pan!.slice(-4)),
    card.lastFourDigits,
  );
});

test('numbers, codes and the private key are in no file in the clear, and nobody else may read the files', async () => {
  const numbers = await server.vaultNumbers();
  assert.ok(numbers.length >= 4);
  const files = globSync('*', { cwd: server.folder }).map((name) => path.join(server.folder, name));
  assert.deepEqual(files.map((file) => path.basename(file)).sort(), [
    'journal.jsonl',
    'listening.json',
    'lock',
    'vault.jsonl',
    'vault.key',
  ]);
  for (const file of [...files, path.join(testFolder(), `${path.basename(server.folder)}.log`)]) {
    const content = readFileSync(file, 'latin1');
    if (path.basename(file) !== 'lock') assert.equal(statSync(file).mode & 0o077, 0, file);
    for (const number of numbers) assert.ok(!content.includes(number), file);
    assert.doesNotMatch(content, /PRIVATE KEY|"(pan|cvc|number|code)"/, file);
  }
});

test('nothing that is answered but a reveal has a number in it', async () => {
  const numbers = await server.vaultNumbers();
  const get = async (where: string) =>
    JSON.stringify(
      (await ask(`${server.url}${where}`, { headers: { authorization: `Bearer ${server.token}` } })).body,
    );
  for (const where of ['/v1/events?limit=1000', `/v1/cards/${card.id}`, '/v1/reveal-key']) {
    const answered = await get(where);
    assert.ok(answered.length > 100);
    for (const number of numbers) assert.ok(!answered.includes(number), where);
  }
});
