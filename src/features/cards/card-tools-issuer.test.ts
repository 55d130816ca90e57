import assert from 'node:assert/strict';
import { createDecipheriv, publicEncrypt, randomBytes, randomUUID } from 'node:crypto';
import { after, beforeEach, test } from 'node:test';
import { noIssuer } from '#adapters/issuer';
import type { IssuedKey } from '#features/keys';
import { callerOf, keyContext, refusalOf } from '#test/callers/tool-call';
import { makeKey } from '#test/data/factories';
import { noteSecret, useHarness } from '#test/harness';
import { startTestIssuer } from '#test/outside/issuer';
import { cardTools } from './tools.ts';

const sandbox = await startTestIssuer();
after(() => sandbox.stop());
const harness = useHarness({ issuer: sandbox.issuer });
const callTool = callerOf(cardTools);

let owner: IssuedKey;
beforeEach(async () => {
  owner = await makeKey(harness, { scopes: ['mcp', 'mcp:write', 'mcp_card_reveal'] });
});

const call = (name: string, args: object = {}, key = owner) => callTool(keyContext(harness, key), name, args);
const makeCard = async () => {
  const { cards } = await call('createUserCards', { cards: [{ nickname: 'Card', spendingLimit: '10' }] });
  return { cardId: cards[0].id, cardIssuerUserId: cards[0].cardIssuerUserId };
};

const auditOf = async (subject: string, action: string) =>
  harness.deps.db.query('select actor_id, after from audit_log where subject = $1 and action = $2', [
    subject,
    action,
  ]);

// ## Making and changing

test('createUserCards: the cards as they are, in the order of the request, once under a key', async () => {
  const { userId } = owner;
  const args = {
    cards: [
      { nickname: ' Groceries\u200b ', spendingLimit: '250' },
      { spendingLimit: '0.5', spendingInterval: 'all-time' },
    ],
    idempotencyKey: randomUUID(),
  };
  const first = await call('createUserCards', args);
  const [{ id, cardIssuerUserId, lastFourDigits }, other] = first.cards;
  const named = { id, cardIssuerUserId, nickname: 'Groceries', lastFourDigits, kind: 'virtual' };
  const shown = { ...named, status: 'inactive' };
  assert.deepEqual(first.cards[0], { ...shown, spendingLimit: '250.00', spendingInterval: 'monthly' });
  assert.deepEqual(
    [other.nickname, other.spendingLimit, other.spendingInterval, other.cardIssuerUserId],
    [null, '0.50', 'all-time', cardIssuerUserId],
  );
  assert.deepEqual([first.userId, first.replayed], [userId, false]);
  const [{ statusChangedAt, ...listed }] = (await call('getUserCards', { cardId: id })).cards;
  assert.deepEqual(listed, { ...shown, spendable: '0.00' });
  assert.ok(Date.parse(statusChangedAt) > Date.now() - 600_000);
  assert.deepEqual(await call('createUserCards', args), { ...first, replayed: true });
  const at = await Promise.all(Array.from({ length: 10 }, () => call('createUserCards', args)));
  for (const answer of at) assert.deepEqual(answer, { ...first, replayed: true });
  const reused = await refusalOf(call('createUserCards', { ...args, cards: [{ spendingLimit: '1' }] }));
  assert.equal(reused.status, 422);
  assert.match(reused.message, /or send this one with a new key\.$/);
  const rows = await auditOf(`user:${userId}`, 'cards.create');
  assert.deepEqual(
    rows.map(({ actor_id }) => actor_id),
    [owner.id],
  );
});

test('updateUserCard: the card as it now is, once under a key', async () => {
  const card = await makeCard();
  const args = { ...card, status: 'active', nickname: 'Daily', spendingLimit: '7.5', idempotencyKey: 'one' };
  const changed = await call('updateUserCard', { ...args, reason: 'as asked' });
  const [shown] = (await call('getUserCards', { cardId: card.cardId })).cards;
  const { statusReason, statusChangedAt, spendable, ...named } = shown;
  assert.deepEqual([statusReason, spendable], ['as asked', '0.00']);
  assert.ok(Date.parse(statusChangedAt) > Date.now() - 600_000);
  assert.deepEqual(changed, {
    userId: owner.userId,
    ...named,
    nickname: 'Daily',
    status: 'active',
    spendingLimit: '7.50',
    spendingInterval: 'monthly',
    replayed: false,
  });
  await call('updateUserCard', { ...card, status: 'locked', nickname: null });
  const again = await call('updateUserCard', { ...args, reason: 'as asked' });
  assert.deepEqual([again.status, again.nickname, again.replayed], ['locked', null, true]);
  const rows = await auditOf(`card:${card.cardId}`, 'cards.update');
  assert.deepEqual(rows[0]!.after, {
    nickname: 'Daily',
    status: 'active',
    spendingLimit: '7.50',
    reason: 'as asked',
  });
  assert.equal(rows.length, 2);
});

test('ten updateUserCard at once under one key are one change', async () => {
  const args = { ...(await makeCard()), status: 'active', idempotencyKey: randomUUID() };
  const answers = await Promise.all(Array.from({ length: 10 }, () => call('updateUserCard', args)));
  assert.equal(answers.filter(({ replayed }) => !replayed).length, 1);
  assert.equal((await auditOf(`card:${args.cardId}`, 'cards.update')).length, 1);
});

test('what is refused says what to do', async () => {
  const card = await makeCard();
  const refuse = async (name: string, args: object) => {
    const { status, message } = await refusalOf(call(name, args));
    return [status, message];
  };
  assert.deepEqual(await refuse('updateUserCard', { ...card, reason: 'none' }), [
    400,
    'Pass at least one of nickname, status, spendingLimit, spendingInterval',
  ]);
  assert.deepEqual(await refuse('updateUserCard', { ...card, status: 'locked' }), [
    409,
    'A card that is inactive does not become locked, only active or canceled',
  ]);
  assert.deepEqual(await refuse('updateUserCard', { ...card, spendingLimit: '1.234' }), [
    400,
    'spendingLimit must be a decimal string in US dollars with at most two decimals, such as 250.00',
  ]);
  await call('updateUserCard', { ...card, status: 'canceled' });
  assert.deepEqual(await refuse('updateUserCard', { ...card, nickname: 'New' }), [
    409,
    'The card is canceled; this is final. Call createUserCards for a new card.',
  ]);
  const ctx = { ...keyContext(harness, owner), issuer: noIssuer };
  const away = await refusalOf(callTool(ctx, 'createUserCards', { cards: [{ spendingLimit: '1' }] }));
  assert.deepEqual([away.status, away.code], [503, 'issuer_unavailable']);
  assert.match(away.message, /same idempotencyKey/);
  assert.equal((await refusalOf(callTool(ctx, 'getCardRevealPublicKey'))).status, 503);
});

// ## Revealing

/** Follows `usage`. */
async function startSession() {
  const { publicKey, algorithm, hash, usage, ...nothing } = await call('getCardRevealPublicKey');
  assert.deepEqual([algorithm, hash, nothing], ['RSA-OAEP', 'SHA-1', {}]);
  assert.match(usage, /getUserCards with includeCardSecrets true/);
  const key = randomBytes(16);
  const sessionId = publicEncrypt({ key: publicKey, oaepHash: 'sha1' }, key).toString('base64');
  return { key, sessionId: noteSecret(sessionId) };
}

function open(key: Buffer, encrypted: string): string {
  const bytes = Buffer.from(noteSecret(encrypted), 'base64');
  const decipher = createDecipheriv('aes-128-gcm', key, bytes.subarray(0, 12));
  decipher.setAuthTag(bytes.subarray(-16));
  return decipher.update(bytes.subarray(12, -16), undefined, 'latin1') + decipher.final('latin1');
}

test('a reveal: the contract’s fields, opened by the caller’s own key, and audited', async () => {
  const card = await makeCard();
  const { key, sessionId } = await startSession();
  const args = { ...card, includeCardSecrets: true, sessionId };
  const { cardSecrets, ...rest } = await call('getUserCards', args);
  assert.deepEqual(Object.keys(cardSecrets), ['encryptedPan', 'encryptedCvc']);
  const pan = noteSecret(open(key, cardSecrets.encryptedPan));
  assert.equal(pan.slice(-4), rest.cards[0].lastFourDigits);
  assert.match(open(key, cardSecrets.encryptedCvc), /^[0-9]{3}$/);
  assert.ok(!JSON.stringify(rest).includes(sessionId));
  assert.deepEqual(await call('getUserCards', card), rest, 'the rest is what it is without a reveal');
  const rows = await auditOf(`card:${card.cardId}`, 'cards.reveal');
  assert.deepEqual(rows, [{ actor_id: owner.id, after: { userId: owner.userId, outcome: 'revealed' } }]);

  const used = await refusalOf(call('getUserCards', args));
  assert.deepEqual([used.status, used.code], [409, 'session_used']);
  assert.match(used.message, /wrap a new AES-128 key.*getCardRevealPublicKey/);
  const broken = await refusalOf(call('getUserCards', { ...args, sessionId: 'c2Vzc2lvbg==' }));
  assert.match(broken.message, /Call getCardRevealPublicKey and follow its usage\.$/);
  assert.ok(!`${used.message}${broken.message}`.includes(sessionId));
});

test('409 a canceled card is not revealed; 429 after ten in an hour, with how long to wait', async () => {
  const gone = await makeCard();
  await call('updateUserCard', { ...gone, status: 'canceled' });
  const { sessionId } = await startSession();
  const refused = await refusalOf(call('getUserCards', { ...gone, includeCardSecrets: true, sessionId }));
  assert.deepEqual([refused.status, refused.code], [409, 'card_canceled']);
  const card = await makeCard();
  const reveal = async () =>
    call('getUserCards', { ...card, includeCardSecrets: true, sessionId: (await startSession()).sessionId });
  for (let times = 0; times < 10; times++) {
    const { cardSecrets } = await reveal();
    for (const secret of Object.values(cardSecrets)) noteSecret(secret as string);
  }
  const limited = await refusalOf(reveal());
  assert.equal(limited.status, 429);
  assert.match(limited.headers?.['retry-after'] ?? '', /^3[0-9]{3}$/);
});
