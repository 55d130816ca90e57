import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  type CardStatus,
  cardStatuses,
  type IssuerCard,
  type IssuerTransaction,
  type SpendingInterval,
  spendingIntervals,
} from '#adapters/issuer';
import { useHarness } from '#test/harness';
import { makeCardOwner, tell, toCard, toTransaction } from '#test/models/card-model';
import { sized } from '#test/sizes';
import { type CardView, listCards } from './lists/list-cards.ts';

const harness = useHarness();
const ctx = (now = new Date()) => ({ ...harness.operatorContext(), now });
const page = { currentPage: 0, pageSize: 200 };
const dollars = (cents: bigint) => Number(cents) / 100;
const start = Date.UTC(2024, 0, 1);
const hour = 3_600_000;
const iso = (at: number) => new Date(at).toISOString();

/** When the interval began that was running at an instant. */
function beginningOf(interval: SpendingInterval, at: Date): number {
  const [year, month, day] = [at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate()];
  switch (interval) {
    case 'daily':
      return Date.UTC(year, month, day);
    case 'weekly':
      return Date.UTC(year, month, day - ((at.getUTCDay() + 6) % 7));
    case 'monthly':
      return Date.UTC(year, month);
    case 'yearly':
      return Date.UTC(year);
    case 'all-time':
      return Number.NEGATIVE_INFINITY;
  }
}

function availableOf(card: IssuerCard, transactions: readonly IssuerTransaction[], asOf: Date): number {
  const spent = transactions
    .filter(({ cardId, status }) => cardId === card.id && (status === 'pending' || status === 'settled'))
    .filter(({ createdAt }) => {
      const at = Date.parse(createdAt);
      return at <= asOf.getTime() && at >= beginningOf(card.spendingInterval, asOf);
    })
    .reduce((sum, { type, amount }) => sum + (type === 'refund' ? -1 : 1) * Number(amount), 0);
  return Math.max(0, Number(card.spendingLimit) - Math.max(0, spent));
}

/** Borders of days, weeks, months and years, a millisecond before and after them, and anything else. */
const anyAt = fc
  .tuple(
    fc.constantFrom(
      ...[
        '2023-12-31',
        '2024-01-01',
        '2024-01-07',
        '2024-01-08',
        '2024-01-31',
        '2024-02-01',
        '2024-02-05',
      ].map((day) => Date.parse(day)),
    ),
    fc.constantFrom(-1, 0, 1, 5 * hour),
  )
  .map(([at, more]) => at + more);

const anyCard = fc.record({
  createdAt: anyAt,
  versions: fc.array(
    fc.record({
      after: fc.nat(20).map((hours) => hours * 24 * hour),
      status: fc.constantFrom(...cardStatuses),
      limit: fc.nat(60),
      interval: fc.constantFrom(...spendingIntervals),
      nickname: fc.option(fc.constantFrom('a', 'b')),
    }),
    { minLength: 1, maxLength: 5 },
  ),
});

test('whatever cards went through, a summary is what they were at that instant', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(anyCard, { minLength: 1, maxLength: 8 }),
      fc.array(
        fc.record({
          at: anyAt,
          card: fc.nat(7),
          amount: fc.integer({ min: 1, max: 30 }),
          type: fc.constantFrom('purchase', 'purchase', 'refund'),
          status: fc.constantFrom('pending', 'settled', 'declined', 'reversed'),
        }),
        { maxLength: 40 },
      ),
      fc.array(
        fc.record({
          asOf: fc.option(anyAt, { freq: 8 }),
          status: fc.constantFrom(undefined, 'all', ...cardStatuses),
          pageSize: fc.integer({ min: 1, max: 9 }),
        }),
        { minLength: 6, maxLength: 6 },
      ),
      fc.boolean(),
      async (specs, spendings, queries, isBackwards) => {
        const owner = await makeCardOwner(harness, { cards: [] });
        const versions = specs.map(({ createdAt, versions }, n): IssuerCard[] => {
          let at = createdAt;
          return versions.map(({ after, limit, status, interval, nickname }, place) => {
            at += place === 0 ? 0 : after;
            return toCard(owner.cardIssuerUserId, {
              id: `${owner.cardIssuerUserId} ${n}`,
              version: place + 1,
              status,
              nickname,
              spendingLimit: `${limit}.00`,
              spendingInterval: interval,
              createdAt: iso(createdAt),
              updatedAt: iso(at),
            });
          });
        });
        const told = versions.flat();
        // Whatever order they arrive in, and one at a time or together.
        if (isBackwards) for (const card of told.toReversed()) await tell(harness.deps, { cards: [card] });
        else await tell(harness.deps, { cards: told });
        const transactions = spendings.map(({ at, card, amount, type, status }) =>
          toTransaction(owner, {
            cardId: versions[card % versions.length]![0]!.id,
            createdAt: iso(at),
            status,
            type: type as 'purchase' | 'refund',
            amount: `${amount}.00`,
          }),
        );
        await tell(harness.deps, { transactions });

        const now = new Date('2024-02-05T13:00:00Z');
        for (const { asOf, status, pageSize } of queries) {
          const instant = asOf === null ? undefined : new Date(asOf);
          const expected = versions
            .map((states) =>
              states.findLast(({ updatedAt }) => !instant || Date.parse(updatedAt) <= instant.getTime()),
            )
            .filter((card) => card !== undefined)
            .filter((card) =>
              status === undefined ? card.status !== 'canceled' : status === 'all' || card.status === status,
            )
            .toSorted((a, b) => Date.parse(b.createdAt) - Date.parse(a.createdAt) || (a.id < b.id ? 1 : -1));
          const read: CardView[] = [];
          for (let currentPage = 0; currentPage * pageSize <= expected.length; currentPage++) {
            const asked = { userId: owner.userId, asOf: instant, status, currentPage, pageSize };
            const { total, cards } = await listCards(ctx(now), asked);
            assert.equal(total, expected.length);
            assert.equal(cards.length, Math.max(0, Math.min(pageSize, total - currentPage * pageSize)));
            read.push(...cards);
          }
          assert.deepEqual(
            read.map((card) => [
              card.id,
              card.status,
              card.nickname,
              dollars(card.spendingLimitMinor),
              card.spendingInterval,
              dollars(card.availableLimitMinor),
            ]),
            expected.map((card) => [
              card.id,
              card.status,
              card.nickname,
              Number(card.spendingLimit),
              card.spendingInterval,
              availableOf(card, transactions, instant ?? now),
            ]),
          );
        }
      },
    ),
    { numRuns: sized(12, 40), interruptAfterTimeLimit: 30_000 },
  );
});

/** Each interval, the last instant before it, its first and one after it: of these, what counts is spent. */
for (const [interval, began] of [
  ['daily', '2024-02-29T00:00:00.000Z'],
  ['weekly', '2024-02-26T00:00:00.000Z'],
  ['monthly', '2024-02-01T00:00:00.000Z'],
  ['yearly', '2024-01-01T00:00:00.000Z'],
] as const) {
  test(`what is left of a ${interval} limit: what was spent from ${began} on is gone, a millisecond before it is not`, async () => {
    const owner = await makeCardOwner(harness, { cards: [{ spendingInterval: interval }] });
    const at = (ms: number) => iso(Date.parse(began) + ms);
    await tell(harness.deps, {
      transactions: [
        toTransaction(owner, { createdAt: at(-1), amount: '50.00' }),
        toTransaction(owner, { createdAt: at(0), amount: '3.00' }),
        toTransaction(owner, { createdAt: at(1), amount: '0.25' }),
      ],
    });
    const now = new Date('2024-02-29T12:00:00Z');
    const left = async (asOf?: Date) =>
      dollars(
        (await listCards(ctx(now), { userId: owner.userId, asOf, ...page })).cards[0]!.availableLimitMinor,
      );
    assert.equal(await left(), 96.75);
    assert.equal(await left(new Date(at(0))), 97);
    assert.equal(await left(new Date(at(-1))), 50);
    assert.equal(await left(new Date('2030-01-01T00:00:00Z')), 96.75, 'the future is as now');
  });
}

const limited: [title: string, spent: Partial<IssuerTransaction>[], left: number][] = [
  ['nothing was spent', [], 100],
  [
    'what is pending counts as what is settled',
    [
      { status: 'pending', amount: '10.00' },
      { status: 'settled', amount: '5.50' },
    ],
    84.5,
  ],
  ['what was declined or reversed does not count', [{ status: 'declined' }, { status: 'reversed' }], 100],
  ['a refund gives back', [{ amount: '30.00' }, { type: 'refund', amount: '12.00', status: 'settled' }], 82],
  ['refunds do not raise the limit', [{ type: 'refund', amount: '30.00', status: 'settled' }], 100],
  ['it is never below zero', [{ amount: '70.00' }, { amount: '60.00' }], 0],
];
for (const [title, spent, left] of limited) {
  test(`what is left of a limit: ${title}`, async () => {
    const owner = await makeCardOwner(harness, { cards: [{ spendingInterval: 'all-time' }] });
    await tell(harness.deps, { transactions: spent.map((fields) => toTransaction(owner, fields)) });
    const { cards } = await listCards(ctx(), { userId: owner.userId, ...page });
    assert.deepEqual(
      cards.map(({ availableLimitMinor }) => dollars(availableLimitMinor)),
      [left],
    );
  });
}

test('a card is not there before it was made, and is what it was until it changed', async () => {
  const createdAt = iso(start);
  const changedAt = start + hour;
  const owner = await makeCardOwner(harness, { cards: [{ createdAt, nickname: 'first' }] });
  const card = toCard(owner.cardIssuerUserId, { id: owner.cardIds[0]!, createdAt, nickname: 'second' });
  await tell(harness.deps, {
    cards: [{ ...card, version: 2, status: 'canceled', updatedAt: iso(changedAt) }],
  });
  const states = async (at: number | undefined, status: CardStatus | 'all' = 'all') => {
    const asOf = at === undefined ? undefined : new Date(at);
    const { cards } = await listCards(ctx(), { userId: owner.userId, asOf, status, ...page });
    return cards.map(({ nickname, status }) => `${nickname} ${status}`);
  };
  assert.deepEqual(await states(start - 1), []);
  assert.deepEqual(await states(start), ['first active']);
  assert.deepEqual(await states(changedAt - 1), ['first active']);
  assert.deepEqual(await states(changedAt), ['second canceled']);
  assert.deepEqual(await states(undefined), ['second canceled']);
  assert.deepEqual(await states(changedAt - 1, 'canceled'), []);
  const hidden = await listCards(ctx(), { userId: owner.userId, ...page });
  assert.deepEqual(hidden, { total: 0, changedAt: null, cards: [] });
});
