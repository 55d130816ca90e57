import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { beforeEach, test } from 'node:test';
import { type Issuer, IssuerFault } from '#adapters/issuer';
import type { IssuedKey } from '#features/keys';
import { refusalOf } from '#test/callers/tool-call';
import { makeKey } from '#test/data/factories';
import { useCards } from '#test/worlds/card';
import { catchUp } from './catch-up.ts';
import { createCards } from './create-cards.ts';
import { showCard } from './show-card.ts';
import { type CardChange, updateCard } from './update-card.ts';

const { sandbox, proxy, viaProxy, harness, owner, as } = await useCards();
let card: Pick<CardChange, 'userId' | 'cardId' | 'cardIssuerUserId'>;
beforeEach(async () => {
  card = await makeActiveCard(owner);
  proxy.passed = [];
});

async function makeActiveCard(key: IssuedKey) {
  const { userId } = key;
  const { cards } = await createCards(as(key), {
    userId,
    cards: [{ nickname: 'Card', spendingLimit: '100' }],
  });
  const { id: cardId, cardIssuerUserId } = cards[0]!;
  await updateCard(as(key), { userId, cardId, cardIssuerUserId, status: 'active' });
  return { userId, cardId, cardIssuerUserId };
}

/** A change with a new idempotency key, unless `fields` has one. */
const lockIt = (fields: Partial<CardChange> = {}): CardChange => ({
  ...card,
  status: 'locked',
  idempotencyKey: randomUUID(),
  ...fields,
});

/** A change by somebody else, which we read at once. */
async function changeElsewhere(change: { status?: 'active' | 'canceled'; nickname?: string }) {
  await sandbox.issuer.updateCard({ cardId: card.cardId, ...change, idempotencyKey: randomUUID() });
  while ((await catchUp(as(owner))).isBehind);
}

const auditOf = async (cardId = card.cardId) =>
  (
    await harness.deps.db.query('select before, after from audit_log where subject = $1 order by id', [
      `card:${cardId}`,
    ])
  )
    // Making the card active was the first.
    .slice(1)
    .map(({ before, after }) => [before, after]);

const statusAtIssuer = async () => (await sandbox.issuer.readCard(card.cardId))!.status;
const locking = [{ status: 'active' }, { status: 'locked' }];

/** A context whose process dies when it would store what the issuer answered. */
const dying = (issuer?: Issuer) => {
  const ctx = as(owner, issuer);
  const transaction = () => Promise.reject(new Error('the process died here'));
  return { ...ctx, db: { query: ctx.db.query, transaction } };
};

test('a change is made once under its key: repeated, it leaves alone what was changed since', async () => {
  const change = lockIt({ reason: 'lost' });
  const first = await updateCard(as(owner), change);
  assert.deepEqual([first.card.status, first.replayed], ['locked', false]);
  const again = await updateCard(as(owner), change);
  assert.deepEqual([again.card, again.replayed], [first.card, true]);
  await changeElsewhere({ status: 'active', nickname: 'Found again' });
  proxy.passed = [];
  const late = await updateCard(as(owner), { ...change, spendingLimit: undefined });
  assert.deepEqual([late.card.status, late.card.nickname, late.replayed], ['active', 'Found again', true]);
  assert.deepEqual(proxy.passed, [], 'the issuer was not asked');
  assert.equal(await statusAtIssuer(), 'active');
  assert.deepEqual(await auditOf(), [[locking[0], { ...locking[1], reason: 'lost' }]]);
  const anew = await updateCard(as(owner), { ...change, idempotencyKey: randomUUID() });
  assert.deepEqual(
    [anew.card.status, anew.replayed],
    ['locked', false],
    'under another key it is another request',
  );
});

test('requests are the same by what they ask for, not by how it is spelled', async () => {
  const change = lockIt({ spendingLimit: '7.5', nickname: ' Name ' });
  await updateCard(as(owner), change);
  const again = await updateCard(as(owner), { ...change, spendingLimit: '7.50', nickname: 'Name' });
  assert.equal(again.replayed, true);
});

test('422 the key of another request, be it about another card, or to make cards', async () => {
  const change = lockIt({ nickname: 'Name' });
  await updateCard(as(owner), change);
  const other = await makeActiveCard(owner);
  const { userId, idempotencyKey } = change;
  const cards = [{ spendingLimit: '1' }];
  const makingKey = randomUUID();
  await createCards(as(owner), { userId, cards, idempotencyKey: makingKey });
  for (const reused of [
    () => updateCard(as(owner), { ...change, status: 'active' }),
    () => updateCard(as(owner), { ...change, nickname: null }),
    () => updateCard(as(owner), { ...change, spendingLimit: '1' }),
    () => updateCard(as(owner), { ...change, reason: 'another' }),
    () => updateCard(as(owner), { ...change, ...other }),
    () => createCards(as(owner), { userId, cards, idempotencyKey }),
    () => updateCard(as(owner), { ...change, idempotencyKey: makingKey }),
  ]) {
    const { status, code } = await refusalOf(reused());
    assert.deepEqual([status, code], [422, 'idempotency_key_reused']);
  }
  assert.equal((await showCard(as(owner), other)).status, 'active');
  assert.equal((await updateCard(as(owner), change)).replayed, true);
});

test('a key is its partner’s and its user’s', async () => {
  const change = lockIt();
  await updateCard(as(owner), change);
  await changeElsewhere({ status: 'active' });
  const partner = { ...owner, partnerId: randomUUID() };
  assert.equal((await updateCard(as(partner), change)).replayed, false);
  const stranger = await makeKey(harness);
  const theirs = await makeActiveCard(stranger);
  assert.equal((await updateCard(as(stranger), { ...change, ...theirs })).replayed, false);
});

test('ten at once under one key: one change, one audit row, one answer that is the first', async () => {
  const change = lockIt();
  const answers = await Promise.all(Array.from({ length: 10 }, () => updateCard(as(owner), change)));
  assert.equal(answers.filter(({ replayed }) => !replayed).length, 1);
  for (const { card: shown } of answers) assert.deepEqual([shown.status, shown.version], ['locked', 3]);
  assert.deepEqual(await auditOf(), [locking]);
});

test('of different requests at once under one key, one is done and the others are refused', async () => {
  const idempotencyKey = randomUUID();
  const names = Array.from({ length: 8 }, (_, at) => `Name ${at}`);
  const outcomes = await Promise.allSettled(
    names.map((nickname) => updateCard(as(owner), { ...card, nickname, idempotencyKey })),
  );
  const done = outcomes.filter((outcome) => outcome.status === 'fulfilled');
  assert.equal(done.length, 1);
  for (const outcome of outcomes) {
    if (outcome.status === 'rejected') assert.equal(outcome.reason.code, 'idempotency_key_reused');
  }
  const { nickname, version } = await showCard(as(owner), card);
  assert.deepEqual([nickname, version], [done[0]!.value.card.nickname, 3]);
});

test('503 every answer is lost and the card then changed back: the same request again finds that it was done', async () => {
  const change = lockIt();
  proxy.passage = (request) => (request.startsWith('PATCH') ? 'answer lost' : 'whole');
  const { code, message } = await refusalOf(updateCard(as(owner), change));
  assert.equal(code, 'issuer_unavailable');
  assert.match(message, /whether the card was changed is not known.*same idempotencyKey/);
  assert.equal(await statusAtIssuer(), 'locked');
  proxy.passage = () => 'whole';
  await changeElsewhere({ status: 'active' });
  const repeated = await updateCard(as(owner), change);
  assert.deepEqual([repeated.card.status, repeated.card.version, repeated.replayed], ['active', 4, false]);
  assert.equal(await statusAtIssuer(), 'active', 'it was not locked again');
  assert.equal((await updateCard(as(owner), change)).replayed, true);
  assert.deepEqual(await auditOf(), [[locking[0], { ...locking[1], outcome: 'unknown' }], locking]);
});

test('503 a request that was lost on its way is done when it comes again', async () => {
  const change = lockIt();
  proxy.passage = () => 'request lost';
  assert.equal((await refusalOf(updateCard(as(owner), change))).code, 'issuer_unavailable');
  proxy.passage = () => 'whole';
  const { card: locked, replayed } = await updateCard(as(owner), change);
  assert.deepEqual([locked.status, replayed], ['locked', false]);
});

test('a process that dies between the answer and the commit: a repeated request finishes it, and its audit row is right', async () => {
  const change = lockIt();
  await assert.rejects(updateCard(dying(), change), /the process died here/);
  assert.equal(await statusAtIssuer(), 'locked');
  await changeElsewhere({ status: 'canceled' });
  await sandbox.crash();
  // By our knowledge a canceled card does not become locked; but this one was locked before.
  const { card: now, replayed } = await updateCard(as(owner), change);
  assert.deepEqual([now.status, replayed], ['canceled', false]);
  assert.deepEqual(await auditOf(), [locking]);
  assert.equal((await updateCard(as(owner), change)).replayed, true);
});

test('409 a change that is refused, by us or by the issuer, does not use its key up', async () => {
  const idempotencyKey = randomUUID();
  const illegal = { ...card, status: 'inactive' as const, idempotencyKey };
  assert.equal((await refusalOf(updateCard(as(owner), illegal))).code, 'illegal_card_move');
  const stubborn: Issuer = {
    ...viaProxy,
    updateCard: () => Promise.reject(new IssuerFault('refused', 'Not today.')),
  };
  const named = { ...card, nickname: 'Name', idempotencyKey };
  assert.equal((await refusalOf(updateCard(as(owner, stubborn), named))).code, 'issuer_refused');
  const gone = { ...viaProxy, updateCard: () => Promise.reject(new IssuerFault('not-found', 'Gone.')) };
  assert.equal((await refusalOf(updateCard(as(owner, gone), named))).code, 'card_not_found');
  const rows = await harness.deps.db.query('select from card_requests where user_id = $1', [owner.userId]);
  assert.equal(rows.length, 0);
  assert.equal((await updateCard(as(owner), lockIt({ idempotencyKey }))).replayed, false);
});

test('409 a change that died on its way and is no longer legal does not use its key up', async () => {
  const change = lockIt();
  proxy.passage = () => 'request lost';
  await refusalOf(updateCard(as(owner), change));
  proxy.passage = () => 'whole';
  await changeElsewhere({ status: 'canceled' });
  assert.equal((await refusalOf(updateCard(as(owner), change))).code, 'illegal_card_move');
  const rows = await harness.deps.db.query('select from card_requests where user_id = $1', [owner.userId]);
  assert.equal(rows.length, 0);
});

test('a refusal does not take the key from a request that has it by now', async () => {
  const idempotencyKey = randomUUID();
  const second = lockIt({ idempotencyKey });
  const overtaken: Issuer = {
    ...viaProxy,
    updateCard: async () => {
      // Meanwhile the first was refused elsewhere, and the second came under the same key and died.
      await harness.deps.db.query('delete from card_requests where user_id = $1', [owner.userId]);
      await assert.rejects(updateCard(dying(), second), /the process died here/);
      throw new IssuerFault('not-found', 'Gone.');
    },
  };
  await refusalOf(updateCard(as(owner, overtaken), { ...card, nickname: 'First', idempotencyKey }));
  // Had its note been taken, it would be refused by what the card is now.
  await changeElsewhere({ status: 'canceled' });
  const { card: now, replayed } = await updateCard(as(owner), second);
  assert.deepEqual([now.status, replayed], ['canceled', false]);
  assert.deepEqual(await auditOf(), [locking]);
});

test('what an issuer refuses for a part that is so already is asked without it, and repeated without it', async () => {
  const strict = (answers: boolean): Issuer => ({
    ...viaProxy,
    async updateCard(request) {
      const { status } = (await sandbox.issuer.readCard(request.cardId))!;
      if (status === request.status) throw new IssuerFault('refused', 'It is so already.');
      const changed = await viaProxy.updateCard(request);
      if (!answers) throw new IssuerFault('unavailable', 'No answer.');
      return changed;
    },
  });
  await sandbox.issuer.updateCard({ cardId: card.cardId, status: 'locked', idempotencyKey: randomUUID() });
  const change = lockIt({ nickname: 'Kept' });
  assert.equal((await refusalOf(updateCard(as(owner, strict(false)), change))).code, 'issuer_unavailable');
  await changeElsewhere({ status: 'active', nickname: 'Other' });
  const { card: now } = await updateCard(as(owner, strict(true)), change);
  assert.deepEqual([now.status, now.nickname], ['active', 'Other'], 'nothing was done again');
  assert.equal((await updateCard(as(owner), change)).replayed, true);
});

test('without a key nothing is kept of a request', async () => {
  await updateCard(as(owner), { ...card, status: 'locked' });
  await changeElsewhere({ status: 'active' });
  const { card: now, replayed } = await updateCard(as(owner), { ...card, status: 'locked' });
  assert.deepEqual([now.status, replayed], ['locked', false]);
  assert.deepEqual(
    await harness.deps.db.query('select from card_requests where user_id = $1', [owner.userId]),
    [],
  );
});
