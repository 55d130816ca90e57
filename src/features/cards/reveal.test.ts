import assert from 'node:assert/strict';
import { randomBytes, webcrypto } from 'node:crypto';
import { after, beforeEach, test } from 'node:test';
import { createHttpIssuer, noIssuer } from '#adapters/issuer';
import { type Ctx, contextFor, type KeyActor } from '#context';
import type { IssuedKey } from '#features/keys';
import { Refusal } from '#platform/errors/errors';
import { createLog } from '#platform/observe/log';
import { makeKey } from '#test/data/factories';
import { noteSecret, useHarness } from '#test/harness';
import { startTestIssuer } from '#test/outside/issuer';
import { startUnreliableProxy } from '#test/outside/unreliable-proxy';
import { createCards } from './create-cards.ts';
import { cardJobs } from './jobs.ts';
import { readRevealKey } from './read-reveal-key.ts';
import { revealCard } from './reveal-card.ts';
import { updateCard } from './update-card.ts';

const sandbox = await startTestIssuer();
after(() => sandbox.stop());
const proxy = await startUnreliableProxy(sandbox.url);
after(() => proxy.stop());
const issuer = createHttpIssuer({ url: proxy.url, token: sandbox.token, timeoutMs: 60_000 });
const harness = useHarness({ issuer });

/** Every line that was logged, at whatever level. */
const lines: string[] = [];
const log = createLog({ level: 'trace', destination: { write: (line) => lines.push(line) } });
/** What must be nowhere: sessions, keys, ciphertexts. */
const secrets: string[] = [];

let owner: IssuedKey;
beforeEach(async () => {
  owner = await makeKey(harness, { scopes: ['mcp', 'mcp_card_reveal'] });
  proxy.passage = () => 'whole';
  proxy.passed = [];
});

const as = ({ id: keyId, partnerId, userId, scopes }: IssuedKey): Ctx<KeyActor> =>
  contextFor(harness.deps, { kind: 'key', keyId, partnerId, userId, scopes } as const, log);

const sql = (text: string, values?: unknown[]) => harness.deps.db.query(text, values);

async function makeCard(key = owner) {
  const { userId } = key;
  const { cards } = await createCards(as(key), { userId, cards: [{ spendingLimit: '1' }] });
  return { userId, cardId: cards[0]!.id, cardIssuerUserId: cards[0]!.cardIssuerUserId };
}

const wrapping = { name: 'RSA-OAEP', hash: 'SHA-1' };
const { subtle } = webcrypto;

/** As a caller does who has read `usage` and nothing else. */
async function startSession(keyBytes: Uint8Array = webcrypto.getRandomValues(new Uint8Array(16))) {
  const { publicKey } = await readRevealKey(as(owner));
  const der = Buffer.from(publicKey.replaceAll(/-----[A-Z ]+-----|\s/g, ''), 'base64');
  const key = await subtle.importKey('spki', der, wrapping, false, ['encrypt']);
  const sessionId = Buffer.from(await subtle.encrypt(wrapping, key, keyBytes)).toString('base64');
  secrets.push(noteSecret(sessionId), Buffer.from(keyBytes).toString('base64'));
  return { keyBytes, sessionId };
}

async function open(keyBytes: Uint8Array, encrypted: string): Promise<string> {
  secrets.push(noteSecret(encrypted));
  const bytes = Buffer.from(encrypted, 'base64');
  const key = await subtle.importKey('raw', keyBytes, 'AES-GCM', false, ['decrypt']);
  const opened = await subtle.decrypt(
    { name: 'AES-GCM', iv: bytes.subarray(0, 12) },
    key,
    bytes.subarray(12),
  );
  return Buffer.from(opened).toString();
}

async function codeOf(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => assert.fail('it was not refused'),
    (error) => error,
  );
  if (!(error instanceof Refusal)) throw error;
  return error.code;
}

const countReveals = async (userId = owner.userId) =>
  (await sql('select from card_reveals where user_id = $1', [userId])).length;

const outcomes = async (cardId: string) =>
  (
    await sql('select action, after, before from audit_log where subject = $1 order by id', [
      `card:${cardId}`,
    ])
  ).map(({ action, after, before }) => {
    assert.deepEqual([action, before], ['cards.reveal', null]);
    assert.deepEqual(Object.keys(after as object), ['userId', 'outcome']);
    return (after as { outcome: string }).outcome;
  });

test('the key: PEM, algorithm, hash and how to use it, with the layout of what comes back', async () => {
  const { publicKey, algorithm, hash, usage } = await readRevealKey(as(owner));
  assert.match(publicKey, /^-----BEGIN PUBLIC KEY-----\n/);
  assert.deepEqual([algorithm, hash], ['RSA-OAEP', 'SHA-1']);
  for (const word of [
    'nonce (12 bytes), ciphertext, tag (16 bytes)',
    '16 random bytes',
    'base64',
    'AES-128-GCM',
  ]) {
    assert.ok(usage.includes(word), word);
  }
});

test('a caller opens with its own key what the issuer has in its vault, and nobody in between can', async () => {
  const card = await makeCard();
  const { keyBytes, sessionId } = await startSession();
  const { encryptedPan, encryptedCvc } = await revealCard(as(owner), { ...card, sessionId });
  const pan = noteSecret(await open(keyBytes, encryptedPan));
  assert.match(await open(keyBytes, encryptedCvc), /^[0-9]{3}$/);
  const numbers = await sandbox.vaultNumbers();
  assert.ok(numbers.includes(pan));
  const [row] = await sql('select last_four_digits from cards where id = $1', [card.cardId]);
  assert.equal(row!.last_four_digits, pan.slice(-4));
  assert.notEqual(encryptedPan.slice(0, 16), encryptedCvc.slice(0, 16), 'two nonces');
  assert.deepEqual(await outcomes(card.cardId), ['revealed']);
  const [reveal] = await sql('select card_id, key_id from card_reveals where user_id = $1', [owner.userId]);
  assert.deepEqual({ ...reveal }, { card_id: card.cardId, key_id: owner.id });
});

test('409 a session is good once, also for another card', async () => {
  const [card, other] = [await makeCard(), await makeCard()];
  const { keyBytes, sessionId } = await startSession();
  const { encryptedPan } = await revealCard(as(owner), { ...card, sessionId });
  await open(keyBytes, encryptedPan);
  assert.equal(await codeOf(revealCard(as(owner), { ...card, sessionId })), 'session_used');
  assert.equal(await codeOf(revealCard(as(owner), { ...other, sessionId })), 'session_used');
  assert.equal(await countReveals(), 3, 'attempts that the issuer answered count');
});

test('400 whatever cannot be unwrapped has one answer, and counts', async () => {
  const card = await makeCard();
  const invalid = [
    'not base64 at all!',
    randomBytes(256).toString('base64'),
    randomBytes(16).toString('base64'),
    (await startSession(randomBytes(32))).sessionId,
    (await startSession(randomBytes(15))).sessionId,
  ];
  const answers = new Set<string>();
  for (const sessionId of invalid) {
    const error = await revealCard(as(owner), { ...card, sessionId }).catch((error) => error);
    answers.add(JSON.stringify([error.status, error.code, error.message]));
  }
  assert.equal(answers.size, 1);
  assert.match([...answers][0]!, /400,"session_invalid"/);
  assert.equal(await countReveals(), invalid.length);
  assert.deepEqual(
    await outcomes(card.cardId),
    invalid.map(() => 'session-invalid'),
  );
});

test('409 a canceled card: refused before the issuer is asked, and by it where we do not know yet', async () => {
  const [known, unknown] = [await makeCard(), await makeCard()];
  await updateCard(as(owner), { ...known, status: 'canceled' });
  await sandbox.issuer.updateCard({
    cardId: unknown.cardId,
    status: 'canceled',
    idempotencyKey: randomBytes(9).toString('hex'),
  });
  const { sessionId } = await startSession();
  assert.equal(await codeOf(revealCard(as(owner), { ...known, sessionId })), 'card_canceled');
  assert.equal(await countReveals(), 0);
  assert.equal(await codeOf(revealCard(as(owner), { ...unknown, sessionId })), 'reveal_not_allowed');
  assert.equal(await countReveals(), 1);
});

test('429 of twenty at once ten are revealed; a place is free an hour after it was taken', async () => {
  const cards = [await makeCard(), await makeCard()];
  const sessions = await Promise.all(Array.from({ length: 22 }, () => startSession()));
  proxy.passed = [];
  const answers = await Promise.allSettled(
    sessions.slice(0, 20).map(({ sessionId }, at) => revealCard(as(owner), { ...cards[at % 2]!, sessionId })),
  );
  const refusals = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason] : []));
  assert.equal(refusals.length, 10);
  for (const refusal of refusals) {
    assert.ok(refusal instanceof Refusal);
    assert.deepEqual([refusal.status, refusal.code], [429, 'reveal_limit_exceeded']);
    const seconds = Number(refusal.headers!['retry-after']);
    assert.ok(seconds > 3_500 && seconds <= 3_600, String(seconds));
  }
  assert.equal(proxy.passed.length, 10, 'the others never reached the issuer');
  assert.equal(await countReveals(), 10);

  const later = (ms: number) => ({ ...as(owner), now: new Date(Date.now() + ms) });
  const request = { ...cards[0]!, sessionId: sessions[20]!.sessionId };
  assert.equal(await codeOf(revealCard(later(3_500_000), request)), 'reveal_limit_exceeded');
  const stranger = await makeKey(harness);
  const theirs = { ...(await makeCard(stranger)), sessionId: sessions[21]!.sessionId };
  await revealCard(as(stranger), theirs);
  await revealCard(later(3_601_000), request);
  for (const { sessionId } of sessions) secrets.push(sessionId);
});

test('an allowance is the user’s, whichever key asks', async () => {
  const card = await makeCard();
  const second = await makeKey(harness, { userId: owner.userId });
  for (let asked = 0; asked < 10; asked++) {
    const { sessionId } = await startSession();
    await revealCard(as(asked % 2 ? second : owner), { ...card, sessionId });
  }
  const { sessionId } = await startSession();
  for (const key of [owner, second]) {
    assert.equal(await codeOf(revealCard(as(key), { ...card, sessionId })), 'reveal_limit_exceeded');
  }
});

test('503 an issuer that does not answer takes no place, is asked once, and the session may be used up', async () => {
  const card = await makeCard();
  const { sessionId } = await startSession();
  proxy.passage = () => 'answer lost';
  proxy.passed = [];
  assert.equal(await codeOf(revealCard(as(owner), { ...card, sessionId })), 'issuer_unavailable');
  assert.equal(proxy.passed.length, 1);
  proxy.passage = () => 'request lost';
  for (let asked = 0; asked < 12; asked++) {
    assert.equal(await codeOf(revealCard(as(owner), { ...card, sessionId })), 'issuer_unavailable');
  }
  assert.equal(
    await codeOf(revealCard({ ...as(owner), issuer: noIssuer }, { ...card, sessionId })),
    'issuer_unavailable',
  );
  assert.equal(await countReveals(), 0);
  proxy.passage = () => 'whole';
  assert.equal(await codeOf(revealCard(as(owner), { ...card, sessionId })), 'session_used');
  const fresh = await startSession();
  await revealCard(as(owner), { ...card, sessionId: fresh.sessionId });
  assert.deepEqual((await outcomes(card.cardId)).slice(-3), ['unavailable', 'session-used', 'revealed']);
});

test('nothing leaves without its audit row', async () => {
  const card = await makeCard();
  const { sessionId } = await startSession();
  await sql(
    `create function fail() returns trigger language plpgsql as $$ begin raise exception 'the disk is full'; end $$`,
  );
  await sql('create trigger fail before insert on audit_log for each row execute function fail()');
  try {
    await assert.rejects(revealCard(as(owner), { ...card, sessionId }), /the disk is full/);
  } finally {
    await sql('drop trigger fail on audit_log');
  }
  assert.equal(await countReveals(), 1, 'and it counts');
});

test('no session, key or ciphertext is in a line of the log or a row of the database', async () => {
  const request = { ...(await makeCard()), sessionId: secrets[0]! };
  log.error(
    { err: await revealCard(as(owner), request).catch((error) => error), sessionId: secrets[0] },
    'a test',
  );
  assert.ok(secrets.length > 60);
  const tables = await sql(
    `select relname as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace`,
  );
  const rows: string[] = [];
  for (const { name } of tables) {
    for (const { row } of await sql(`select t::text as row from ${name} t`)) rows.push(row as string);
  }
  assert.ok(rows.length > 60);
  assert.ok(lines.some((line) => line.includes('[redacted]')));
  const text = [...lines, ...rows].join('\n');
  for (const secret of secrets) assert.ok(!text.includes(secret));
});

test('the sweep deletes reveals that no longer count', async () => {
  const request = await makeCard();
  await revealCard(as(owner), { ...request, sessionId: (await startSession()).sessionId });
  const sweep = () => cardJobs.find(({ name }) => name === 'cards.sweep-reveals')!.run(harness.deps);
  await sweep();
  assert.equal(await countReveals(), 1);
  harness.advance(2 * 3_600_000 + 60_000);
  await sweep();
  assert.equal(await countReveals(), 0);
  assert.deepEqual(await outcomes(request.cardId), ['revealed']);
});
