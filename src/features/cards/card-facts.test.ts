import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { IssuerCard } from '#adapters/issuer';
import { day, disarmed, hostile, useCardTools } from '#test/callers/card-tool-calls';
import { tell, toCard, toMovement, toTransaction } from '#test/models/card-model';
import { configureRefill } from './refills/index.ts';

const { harness, call, makeOwner } = useCardTools();

const cardOf = async (args = {}) => (await call('getUserCards', { status: 'all', ...args })).cards[0];
const snapshotOf = async (args = {}) =>
  (await call('getUserCardSummary', { status: 'all', ...args })).cardsSnapshot[0];

test('a card says why and since when it has its status, now and at a past time; other changes do not count', async () => {
  const { cardIssuerUserId, cardIds } = await makeOwner([{ createdAt: day(1), status: 'inactive' }]);
  const [id] = cardIds;
  const version = (version: number, fields: Partial<IssuerCard>) =>
    toCard(cardIssuerUserId, { id, version, createdAt: day(1), updatedAt: day(version), ...fields });
  await tell(harness.deps, {
    cards: [
      version(2, { status: 'active', statusReason: null }),
      version(3, { status: 'active', nickname: 'Trip', statusReason: null }),
      version(4, { status: 'locked', nickname: 'Trip', statusReason: hostile, kind: 'physical' }),
      version(5, { status: 'locked', nickname: 'Lost', statusReason: hostile, kind: 'physical' }),
    ],
  });
  const facts = (card: Record<string, unknown>) => [
    card.status,
    card.statusReason,
    card.statusChangedAt,
    card.nickname,
    card.currentNickname,
  ];
  assert.deepEqual(facts(await cardOf()), ['locked', disarmed, day(4), 'Lost', undefined]);
  assert.equal((await cardOf()).kind, 'physical');
  assert.deepEqual(facts(await snapshotOf()), ['locked', disarmed, day(4), 'Lost', undefined]);
  const at = async (asOf: string) => facts(await snapshotOf({ asOf }));
  assert.deepEqual(await at(day(1)), ['inactive', undefined, day(1), null, 'Lost']);
  assert.deepEqual(await at(day(2)), ['active', undefined, day(2), null, 'Lost']);
  assert.deepEqual(await at(day(3)), ['active', undefined, day(2), 'Trip', 'Lost']);
  assert.deepEqual(await at(day(4)), ['locked', disarmed, day(4), 'Trip', 'Lost']);

  await tell(harness.deps, { cards: [version(6, { status: 'active', nickname: 'Lost' })] });
  assert.deepEqual(facts(await cardOf()), ['active', undefined, day(6), 'Lost', undefined]);
});

test('spendable is the smaller of limit left and collateral, and nothing if the card is not active', async () => {
  const account = await makeOwner([
    { spendingLimit: '50.00', spendingInterval: 'all-time', createdAt: day(1) },
  ]);
  const { cardIssuerUserId, cardIds } = account;
  let sequence = 0;
  const move = (before: string, after: string, at: string) => {
    const cents = Number(after) - Number(before);
    return toMovement(cardIssuerUserId, {
      sequence: ++sequence,
      type: cents > 0 ? 'credit' : 'debit',
      amount: Math.abs(cents).toFixed(2),
      previousBalance: before,
      runningBalance: after,
      createdAt: at,
    });
  };
  const spendable = async () => {
    const [now, summary] = [(await cardOf()).spendable, (await snapshotOf()).spendable];
    assert.equal(now, summary, 'both tools say the same');
    return now;
  };
  assert.equal(await spendable(), '0.00', 'no collateral');
  await tell(harness.deps, { movements: [move('0.00', '20.00', day(2))] });
  assert.equal(await spendable(), '20.00', 'the collateral is smaller');
  await tell(harness.deps, { movements: [move('20.00', '120.00', day(3))] });
  assert.equal(await spendable(), '50.00', 'the limit is smaller');
  await tell(harness.deps, {
    transactions: [toTransaction(account, { amount: '12.25', createdAt: day(4) })],
  });
  assert.equal(await spendable(), '37.75', 'a hold counts');
  await tell(harness.deps, {
    transactions: [toTransaction(account, { amount: '90.00', status: 'declined', createdAt: day(4) })],
  });
  assert.equal(await spendable(), '37.75', 'a decline does not');
  await tell(harness.deps, { movements: [move('120.00', '-4.00', day(5))] });
  assert.equal(await spendable(), '0.00', 'overdrawn');

  const past = async (asOf: string) => (await snapshotOf({ asOf })).spendable;
  assert.deepEqual(
    [await past(day(1)), await past(day(2)), await past(day(3)), await past(day(4)), await past(day(5))],
    ['0.00', '20.00', '50.00', '37.75', '0.00'],
  );
  await tell(harness.deps, {
    movements: [move('-4.00', '40.00', day(6))],
    cards: [
      toCard(cardIssuerUserId, {
        id: cardIds[0],
        version: 2,
        status: 'locked',
        spendingLimit: '50.00',
        spendingInterval: 'all-time',
        createdAt: day(1),
        updatedAt: day(7),
      }),
    ],
  });
  assert.equal(await spendable(), '0.00', 'locked');
  assert.equal(await past(day(6)), '37.75', 'and not yet locked');
});

test('accounts have their collateral and refill rule, on or off', async () => {
  const [one, two] = [await makeOwner(), await makeOwner()];
  await tell(harness.deps, {
    movements: [toMovement(two.cardIssuerUserId, { sequence: 1, amount: '7.50', runningBalance: '7.50' })],
  });
  const rule = { threshold: '25.00', amount: '100.00', network: 'polygon', currency: 'USDC' } as const;
  const { cardIssuerUserId } = two;
  const accountsOf = async (tool: string) =>
    new Map(
      (await call(tool)).accounts.map(({ cardIssuerUserId, ...rest }: { cardIssuerUserId: string }) => [
        cardIssuerUserId,
        rest,
      ]),
    );
  for (const enabled of [true, false]) {
    await configureRefill(harness.operatorContext(), { cardIssuerUserId, ...rule, enabled });
    const expected = new Map([
      [one.cardIssuerUserId, { collateral: '0.00', refill: null }],
      [
        two.cardIssuerUserId,
        { collateral: '7.50', refill: { enabled, threshold: '25.00', amount: '100.00' } },
      ],
    ] as [string, object][]);
    assert.deepEqual(await accountsOf('getUserCards'), expected);
    assert.deepEqual(await accountsOf('getUserCardSummary'), expected);
  }
});
