import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { cardStatuses, type Issuer, IssuerFault } from '#adapters/issuer';
import { Refusal } from '#platform/errors/errors';
import { refusalOf } from '#test/callers/tool-call';
import { makeKey, makeUser } from '#test/data/factories';
import { codeOf, useCards } from '#test/worlds/card';
import { createCards } from './create-cards.ts';
import { findTransactions } from './lists/find-transactions.ts';
import { openAccount } from './open-account.ts';
import { revealCard } from './reveal-card.ts';
import { showCard } from './show-card.ts';
import { cardMoves } from './states.ts';
import { updateCard } from './update-card.ts';

const { sandbox, proxy, viaProxy, harness, owner, as, sql, auditOf, readEverything } = await useCards();

// ## Changing

async function makeCard(key = owner, status: 'inactive' | 'active' | 'locked' | 'canceled' = 'inactive') {
  const { userId } = key;
  const { cards } = await createCards(as(key), {
    userId,
    cards: [{ nickname: 'Card', spendingLimit: '100' }],
  });
  const { id: cardId, cardIssuerUserId } = cards[0]!;
  const card = { userId, cardId, cardIssuerUserId };
  const way = {
    inactive: [],
    active: ['active'],
    locked: ['active', 'locked'],
    canceled: ['canceled'],
  } as const;
  for (const status_ of way[status]) await updateCard(as(key), { ...card, status: status_ });
  return card;
}

for (const from of cardStatuses) {
  for (const to of cardStatuses.filter((to) => to !== from)) {
    const isLegal = cardMoves[from].includes(to);
    test(`${isLegal ? '200' : '409'} a card that is ${from} becomes ${to}`, async () => {
      const card = await makeCard(owner, from);
      proxy.passed = [];
      if (isLegal) {
        assert.equal((await updateCard(as(owner), { ...card, status: to })).card.status, to);
        return;
      }
      const { status, code, message } = await refusalOf(updateCard(as(owner), { ...card, status: to }));
      assert.deepEqual([status, code], [409, 'illegal_card_move']);
      for (const legal of cardMoves[from]) assert.ok(message.includes(legal), message);
      assert.deepEqual(proxy.passed, [], 'the issuer was not asked');
    });
  }
}

test('everything that may change, one by one and together, with a version each and an audit row', async () => {
  const card = await makeCard();
  const changes = [
    { nickname: 'Renamed' },
    { nickname: null },
    { spendingLimit: '7.5' },
    { spendingInterval: 'daily' as const },
    { status: 'active' as const, nickname: 'All', spendingLimit: '0', reason: 'a test' },
  ];
  for (const change of changes) await updateCard(as(owner), { ...card, ...change });
  const shown = await showCard(as(owner), card);
  assert.deepEqual(
    [shown.nickname, shown.status, shown.spendingLimit, shown.spendingInterval, shown.version],
    ['All', 'active', 0n, 'daily', 6],
  );
  const versions = await sql(
    'select version, nickname, status, spending_limit from card_versions where card_id = $1 order by version',
    [card.cardId],
  );
  assert.deepEqual(
    versions.map(({ nickname, spending_limit }) => [nickname, spending_limit]),
    [
      ['Card', 10_000n],
      ['Renamed', 10_000n],
      [null, 10_000n],
      [null, 750n],
      [null, 750n],
      ['All', 0n],
    ],
  );
  const rows = await auditOf(`card:${card.cardId}`);
  assert.equal(rows.length, 5);
  assert.deepEqual(rows.at(-1), {
    action: 'cards.update',
    actor_id: owner.id,
    before: { nickname: null, status: 'inactive', spendingLimit: '7.50' },
    after: { nickname: 'All', status: 'active', spendingLimit: '0.00', reason: 'a test' },
  });
});

test('400 a change of nothing, or to an invalid limit', async () => {
  const card = await makeCard();
  proxy.passed = [];
  assert.equal(await codeOf(updateCard(as(owner), card)), 'nothing_to_change');
  assert.equal(await codeOf(updateCard(as(owner), { ...card, reason: 'a test' })), 'nothing_to_change');
  assert.equal(await codeOf(updateCard(as(owner), { ...card, spendingLimit: '-1' })), 'invalid_request');
  assert.deepEqual(proxy.passed, []);
});

test('409 a canceled card does not change any more; to cancel it again is no fault', async () => {
  const card = await makeCard(owner, 'canceled');
  assert.equal(await codeOf(updateCard(as(owner), { ...card, nickname: 'New' })), 'card_canceled');
  const { card: again } = await updateCard(as(owner), { ...card, status: 'canceled' });
  assert.deepEqual([again.status, again.version], ['canceled', 2]);
  assert.equal((await auditOf(`card:${card.cardId}`)).length, 1);
});

test('409 by the issuer where it knows more than we do; what we then know is what it knows', async () => {
  const card = await makeCard(owner, 'active');
  await sandbox.issuer.updateCard({ cardId: card.cardId, status: 'canceled', idempotencyKey: randomUUID() });
  assert.equal((await showCard(as(owner), card)).status, 'active');
  const { code, message } = await refusalOf(updateCard(as(owner), { ...card, status: 'locked' }));
  assert.deepEqual(
    [code, message],
    ['illegal_card_move', 'A card that is canceled does not become locked: canceled is final'],
  );
  assert.equal((await showCard(as(owner), card)).status, 'canceled');
});

test('two who change a card at once: both are done, or one is refused, and we have what the issuer has', async () => {
  for (let round = 0; round < 5; round++) {
    const card = await makeCard(owner, 'active');
    const outcomes = await Promise.allSettled([
      updateCard(as(owner), { ...card, status: 'locked' }),
      updateCard(as(owner), { ...card, status: 'canceled' }),
      updateCard(as(owner), { ...card, nickname: 'Meanwhile' }),
    ]);
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') assert.ok(outcome.reason instanceof Refusal);
    }
    const known = await showCard(as(owner), card);
    const told = (await sandbox.issuer.readCard(card.cardId))!;
    assert.deepEqual(
      [known.version, known.status, known.nickname],
      [told.version, told.status, told.nickname],
    );
  }
});

test('503 a lost answer; a repeated request gets the card with the change', async () => {
  const card = await makeCard(owner, 'active');
  proxy.passage = () => 'answer lost';
  assert.equal(await codeOf(updateCard(as(owner), { ...card, status: 'locked' })), 'issuer_unavailable');
  assert.equal((await showCard(as(owner), card)).status, 'active');
  proxy.passage = () => 'whole';
  const { card: changed } = await updateCard(as(owner), { ...card, status: 'locked' });
  assert.deepEqual([changed.status, changed.version], ['locked', 3]);
  const rows = await auditOf(`card:${card.cardId}`);
  assert.deepEqual(
    rows.slice(-2).map(({ action, after }) => [action, after]),
    [
      ['cards.update', { status: 'locked', outcome: 'unknown' }],
      ['cards.update', { status: 'locked' }],
    ],
  );
});

test('the audit log has what was asked for, not what the issuer did meanwhile', async () => {
  const card = await makeCard(owner, 'active');
  await sandbox.issuer.updateCard({ cardId: card.cardId, status: 'locked', idempotencyKey: randomUUID() });
  await updateCard(as(owner), { ...card, nickname: 'Mine' });
  const { before, after } = (await auditOf(`card:${card.cardId}`)).at(-1)!;
  assert.deepEqual([before, after], [{ nickname: 'Card' }, { nickname: 'Mine' }]);
});

test('an issuer that refuses what is so already: what is left is asked, or the card is given as it is', async () => {
  const strict: Issuer = {
    ...viaProxy,
    async updateCard(request) {
      const { status } = (await viaProxy.readCard(request.cardId))!;
      if (status === request.status) throw new IssuerFault('refused', 'It is so already.');
      return viaProxy.updateCard(request);
    },
  };
  const card = await makeCard(owner, 'active');
  await sandbox.issuer.updateCard({ cardId: card.cardId, status: 'locked', idempotencyKey: randomUUID() });
  const { card: locked } = await updateCard(as(owner, strict), { ...card, status: 'locked' });
  assert.deepEqual([locked.status, locked.version], ['locked', 3]);
  const { card: both } = await updateCard(as(owner, strict), {
    ...card,
    status: 'locked',
    nickname: 'Kept',
  });
  assert.deepEqual([both.status, both.nickname, both.version], ['locked', 'Kept', 4]);

  const stubborn = {
    ...viaProxy,
    updateCard: () => Promise.reject(new IssuerFault('refused', 'Not today.')),
  };
  const { code, message } = await refusalOf(updateCard(as(owner, stubborn), { ...card, nickname: 'New' }));
  assert.deepEqual([code, message], ['issuer_refused', 'The card issuer refused: Not today.']);
});

// ## Somebody else's

test('404 whatever is somebody else’s, with every mixture of ids, and nothing changes', async () => {
  const stranger = await makeKey(harness);
  const [mine, theirs] = [await makeCard(owner, 'active'), await makeCard(stranger, 'active')];
  const second = await openAccount(as(owner), { userId: owner.userId });
  const without = await makeUser(harness);
  const before = await readEverything();
  proxy.passed = [];

  const userIds = [owner.userId, stranger.userId, without.id, randomUUID()];
  const cardIds = [mine.cardId, theirs.cardId, 'crd_nobody', '..', 'x'.repeat(500), "' or 1=1 --"];
  const accountIds = [mine.cardIssuerUserId, theirs.cardIssuerUserId, second.id, 'ciu_nobody', '%'];
  const isTrue = JSON.stringify(mine);
  let refused = 0;
  for (const userId of userIds) {
    for (const cardId of cardIds) {
      for (const cardIssuerUserId of accountIds) {
        const card = { userId, cardId, cardIssuerUserId };
        if (JSON.stringify(card) === isTrue) continue;
        for (const verb of [
          () => showCard(as(owner), card),
          () => updateCard(as(owner), { ...card, nickname: 'Stolen' }),
          () => updateCard(as(owner), { ...card, status: 'canceled' }),
          () => revealCard(as(owner), { ...card, sessionId: 'c2Vzc2lvbg==' }),
        ]) {
          const { status, code, message } = await refusalOf(verb());
          assert.deepEqual([status, code, message], [404, 'card_not_found', 'Card not found']);
          refused++;
        }
        if (JSON.stringify(card) === JSON.stringify(theirs)) continue;
        const list = findTransactions(as(owner), { ...card, currentPage: 0, pageSize: 10 });
        assert.equal((await refusalOf(list)).code, 'card_not_found');
      }
    }
  }
  assert.equal(refused, (userIds.length * cardIds.length * accountIds.length - 1) * 4);
  for (const cardIssuerUserId of [theirs.cardIssuerUserId, 'ciu_nobody']) {
    for (const cards of [
      [{ spendingLimit: '1', cardIssuerUserId }],
      [{ spendingLimit: '1' }, { spendingLimit: '1', cardIssuerUserId }],
    ]) {
      const made = createCards(as(owner), { userId: owner.userId, cards, idempotencyKey: randomUUID() });
      const { status, code } = await refusalOf(made);
      assert.deepEqual([status, code], [404, 'card_account_not_found']);
    }
  }
  assert.deepEqual(proxy.passed, [], 'the issuer was not asked');
  assert.deepEqual(await readEverything(), before);
});
