import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import fc from 'fast-check';
import type { IssuerTransaction } from '#adapters/issuer';
import { useHarness } from '#test/harness';
import { type CardOwner, makeCardOwner, shrinkCardNodes, tell, toTransaction } from '#test/models/card-model';
import { sized } from '#test/sizes';
import { findTransactions } from './lists/find-transactions.ts';

const harness = useHarness();
before(() => shrinkCardNodes(harness.deps.db));
const ctx = () => harness.operatorContext();

const start = Date.UTC(2026, 2, 1);
const at = (hour: number) => new Date(start + hour * 3_600_000);
const merchants = ['Café São João', 'CAFE CENTRAL', 'Padaria', 'Łódź 100%_Deli', 'ab'];
const statuses = ['pending', 'settled', 'declined', 'reversed'] as const;
const fold = (text: string) =>
  text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase().replaceAll('ł', 'l');

const anyTransaction = fc.record({
  hour: fc.nat(40),
  card: fc.nat(2),
  merchantName: fc.constantFrom(...merchants),
  description: fc.constantFrom(null, ...merchants),
  status: fc.constantFrom(...statuses),
  type: fc.constantFrom('purchase' as const, 'refund' as const),
  cents: fc.integer({ min: 1, max: 10 ** 9 }),
});

const anyFilter = fc.record({
  card: fc.option(fc.nat(2), { nil: undefined }),
  account: fc.option(fc.nat(1), { nil: undefined }),
  merchant: fc.option(fc.constantFrom('cafe', 'CAFÉ', 'são', 'lodz 100%', 'ab', '_', 'nobody', 'a'), {
    nil: undefined,
  }),
  status: fc.option(fc.constantFrom(...statuses), { nil: undefined }),
  from: fc.option(fc.nat(40), { nil: undefined }),
  upto: fc.option(fc.nat(40), { nil: undefined }),
  pageSize: fc.integer({ min: 1, max: 30 }),
});

const toCents = (amount: string) => BigInt(amount.replace('.', ''));

/** Totals by status, added up from the plain list. */
function totalsOf(matching: readonly IssuerTransaction[]) {
  return statuses.flatMap((status) => {
    const some = matching.filter((each) => each.status === status);
    const sum = (type: string) =>
      some.filter((each) => each.type === type).reduce((all, { amount }) => all + toCents(amount), 0n);
    if (some.length === 0) return [];
    const [purchasesMinor, refundsMinor] = [sum('purchase'), sum('refund')];
    return [{ status, count: some.length, purchasesMinor, refundsMinor }];
  });
}

test('whatever is asked for, pages and totals are those of a plain list', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(anyTransaction, { minLength: 1, maxLength: 150, size: 'max' }),
      fc.array(anyFilter, { minLength: 12, maxLength: 12 }),
      fc.boolean(),
      async (some, filters, isAnalyzed) => {
        const one = await makeCardOwner(harness, { cards: [{}, { status: 'canceled' }] });
        const two = await makeCardOwner(harness, { userId: one.userId });
        const owners = [one, one, two];
        const cardIds = [...one.cardIds, ...two.cardIds];
        const stranger = await makeCardOwner(harness);
        const told = some.map(({ hour, card, cents, ...fields }, place) =>
          toTransaction(owners[card]!, {
            id: `${one.userId} ${String(place).padStart(3, '0')}`,
            cardId: cardIds[card]!,
            createdAt: at(hour).toISOString(),
            amount: `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}`,
            ...fields,
          }),
        );
        const others = told.slice(0, 5).map(({ createdAt }) => toTransaction(stranger, { createdAt }));
        await tell(harness.deps, { transactions: [...told, ...others] });
        if (isAnalyzed) await harness.deps.db.query('analyze card_transactions');
        const newestFirst = told
          .toReversed()
          .toSorted((a, b) => Date.parse(b.createdAt) - Date.parse(a.createdAt));

        for (const { card, account, merchant, status, from, upto, pageSize } of filters) {
          const ofCard = card === undefined ? undefined : owners[card];
          const ofAccount = ofCard ?? (account === undefined ? undefined : [one, two][account]);
          const matching = newestFirst.filter(
            (each) =>
              (card === undefined || each.cardId === cardIds[card]) &&
              (!ofAccount || each.cardIssuerUserId === ofAccount.cardIssuerUserId) &&
              (!merchant || fold(each.merchantName).includes(fold(merchant))) &&
              (!status || each.status === status) &&
              (from === undefined || Date.parse(each.createdAt) >= at(from).getTime()) &&
              (upto === undefined || Date.parse(each.createdAt) <= at(upto).getTime()),
          );
          const ids: string[] = [];
          for (let currentPage = 0; currentPage * pageSize <= matching.length; currentPage++) {
            const page = await findTransactions(ctx(), {
              userId: one.userId,
              cardId: card === undefined ? undefined : cardIds[card],
              cardIssuerUserId: ofAccount?.cardIssuerUserId,
              merchant,
              status,
              currentPage,
              pageSize,
              ...(from !== undefined && { startAt: at(from) }),
              ...(upto !== undefined && { endAt: at(upto) }),
            });
            assert.deepEqual(page.totals, totalsOf(matching));
            assert.deepEqual([page.total, page.searchedFrom], [matching.length, null]);
            ids.push(...page.transactions.map(({ id }) => id));
          }
          assert.deepEqual(
            ids,
            matching.map(({ id }) => id),
          );
        }
      },
    ),
    { numRuns: sized(4, 25), interruptAfterTimeLimit: 40_000 },
  );
});

async function makeFrequent(count: number): Promise<CardOwner> {
  const owner = await makeCardOwner(harness);
  const transactions = Array.from({ length: count }, (_, n) =>
    toTransaction(owner, {
      createdAt: at(n).toISOString(),
      merchantName: n % 2 ? 'Café' : 'Bar',
      ...(n === 3 && { merchantName: 'Unique' }),
    }),
  );
  await tell(harness.deps, { transactions });
  return owner;
}

test('a search for a frequent merchant reads the newest transactions only, and says from when', async () => {
  const { userId } = await makeFrequent(200);
  const find = (merchant: string, window = {}) =>
    findTransactions(ctx(), { userId, merchant, ...window, currentPage: 0, pageSize: 5, searchedMax: 40 });
  const facts = ({ total, searchedFrom }: Awaited<ReturnType<typeof find>>) => [total, searchedFrom];

  const frequent = await find('cafe');
  assert.deepEqual(facts(frequent), [20, at(160)]);
  assert.deepEqual(frequent.transactions[0]?.createdAt, at(199));
  assert.deepEqual(frequent.totals[0]?.count, 20);
  // Too short for the index of texts, so it can only be read for.
  assert.deepEqual(facts(await find('zz')), [0, at(160)]);
  assert.deepEqual(facts(await find('unique')), [1, null], 'the index finds a rare one, however old');

  assert.deepEqual(facts(await find('cafe', { endAt: at(159) })), [20, at(120)], 'the part before that');
  assert.deepEqual(facts(await find('cafe', { startAt: at(10), endAt: at(30) })), [10, null]);
});

test('amounts in another currency than US dollars are refused, because totals add them up', async () => {
  const owner = await makeCardOwner(harness);
  const transactions = [toTransaction(owner, { currency: 'EUR' as 'USD' })];
  await assert.rejects(tell(harness.deps, { transactions }), { constraint: 'card_transactions_currency' });
});
