import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { IssuerMovement, IssuerTransaction } from '#adapters/issuer';
import { refusalOf } from '#test/callers/tool-call';
import { testConfig, testLog, useHarness } from '#test/harness';
import {
  checkLists,
  makeCardOwner,
  shrinkCardNodes,
  tell,
  toMovement,
  toTransaction,
} from '#test/models/card-model';
import { sized } from '#test/sizes';
import { createDeps } from '../../main.ts';
import { findTransactions } from './lists/find-transactions.ts';
import { listCardTransactions } from './lists/list-card-transactions.ts';
import { listCardsWithCollateral } from './lists/list-cards-with-collateral.ts';
import { listMovements } from './lists/list-movements.ts';
import { listMovementsByAccount } from './lists/list-movements-by-account.ts';

const harness = useHarness();
let shrinking: Promise<void> | undefined;
/** Of a database whose nodes are small. */
const useSmallNodes = () => {
  shrinking ??= shrinkCardNodes(harness.deps.db);
  return shrinking;
};
const ctx = () => harness.operatorContext();
const db = () => harness.deps.db;

const start = Date.UTC(2024, 0, 1);
const hour = 3_600_000;
const iso = (at: number) => new Date(at).toISOString();

/** Few dates, so that many rows share one; or any within a year, so that most arrive late. */
const anyAt = fc.oneof(
  fc.nat(4).map((day) => start + day * 24 * hour),
  fc.nat(365 * 24).map((hours) => start + hours * hour),
);
/** On dates that rows have, just before and just after them. */
const anyEdge = fc.tuple(anyAt, fc.constantFrom(-1, 0, 0, 1)).map(([at, more]) => new Date(at + more));
const anyWindow = fc
  .record({ edges: fc.tuple(anyEdge, anyEdge), open: fc.constantFrom('none', 'start', 'end', 'both') })
  .map(({ edges, open }) => {
    const [startAt, endAt] = edges.toSorted((a, b) => a.getTime() - b.getTime());
    return {
      ...((open === 'none' || open === 'end') && { startAt }),
      ...((open === 'none' || open === 'start') && { endAt }),
    };
  });

type Window = { startAt?: Date; endAt?: Date };
const isWithin = ({ startAt, endAt }: Window, at: number) =>
  (!startAt || at >= startAt.getTime()) && (!endAt || at <= endAt.getTime());

/** All pages and one past the end: what they have together, every one of them full but the last. */
async function readAll<T>(
  pageSize: number,
  readPage: (currentPage: number) => Promise<{ total: number; items: T[] }>,
): Promise<T[]> {
  const read: T[] = [];
  let total: number | undefined;
  for (let currentPage = 0; currentPage * pageSize <= (total ?? 0); currentPage++) {
    const page = await readPage(currentPage);
    total ??= page.total;
    assert.equal(page.total, total);
    assert.equal(page.items.length, Math.min(pageSize, Math.max(0, total - currentPage * pageSize)));
    read.push(...page.items);
  }
  return read;
}

const merchants = [
  'Café Zoë',
  'CAFE ZOE',
  'Straße 50%',
  'STRASSE_50',
  'İstanbul Kahve',
  'Işık',
  'Ｆｕｌｌ－Ｗｉｄｔｈ',
  'back\\slash',
  'Łódź Øre',
  '100% cotton',
  'a_b',
  'москва ёлка',
  '東京 ガス',
  '카페',
  'Œuvre æther',
  '%%',
  'plain',
];
const anyWords = fc.oneof(
  fc.constantFrom(
    ...merchants,
    'x',
    'nowhere',
    'cafe zoe',
    'strasse',
    'ISTANBUL',
    'isik',
    'full-width',
    'ｆｕｌｌ',
  ),
  fc.constantFrom(
    '%',
    '_',
    '\\',
    '50%',
    '_5',
    '\\s',
    'e z',
    'lodz',
    'ore',
    'елка',
    '東',
    'ガ',
    'oeuvre',
    'Æ',
    'ss',
    'ß',
    ' ',
  ),
  fc
    .tuple(
      fc.constantFrom(...merchants),
      fc.nat(8),
      fc.integer({ min: 1, max: 6 }),
      fc.constantFrom('nfc', 'nfd', 'up', 'low'),
    )
    .map(([name, from, length, way]) => {
      const part = [...name].slice(from, from + length).join('') || name;
      if (way === 'up') return part.toUpperCase();
      return way === 'low' ? part.toLowerCase() : part.normalize(way === 'nfd' ? 'NFD' : 'NFC');
    }),
);

/** By other means than the database's: what is compared when a text is looked for. */
const fold = (text: string) =>
  text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .toUpperCase()
    .toLowerCase()
    .replace(/[łøı]/g, (letter) => ({ ł: 'l', ø: 'o', ı: 'i' })[letter]!)
    .replaceAll('æ', 'ae')
    .replaceAll('œ', 'oe')
    .normalize('NFC');

const anyTransaction = fc.record({
  at: anyAt,
  card: fc.nat(1),
  merchant: fc.constantFrom(...merchants),
  description: fc.option(fc.constantFrom(...merchants)),
  status: fc.constantFrom('pending', 'settled', 'declined', 'reversed'),
  /** Index of an earlier transaction that changes together with this one. */
  changes: fc.option(fc.nat(500), { freq: 3 }),
});

test('whatever transactions arrive in whatever order, pages are those of a plain list', async () => {
  await useSmallNodes();
  let deepest = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(anyTransaction, { minLength: 1, maxLength: 50, size: 'max' }), {
        minLength: 1,
        maxLength: 8,
        size: 'max',
      }),
      fc.array(
        fc.record({
          window: anyWindow,
          words: fc.option(anyWords),
          pageSize: fc.integer({ min: 4, max: 60 }),
        }),
        {
          minLength: 8,
          maxLength: 8,
        },
      ),
      fc.boolean(),
      async (batches, queries, isAnalyzed) => {
        const owner = await makeCardOwner(harness, { cards: [{}, { nickname: 'second' }] });
        const bystander = await makeCardOwner(harness);
        const { userId, cardIds, cardIssuerUserId } = owner;
        const told: IssuerTransaction[] = [];
        for (const [turn, batch] of batches.entries()) {
          const changed = new Map<string, IssuerTransaction>();
          for (const { changes, status, merchant } of batch) {
            const before = changes === null ? undefined : told[changes % told.length];
            if (!before) continue;
            const after = { ...before, version: before.version + 1, status, merchantName: merchant } as const;
            changed.set(after.id, after);
            told[told.indexOf(before)] = after;
          }
          const news = batch.map(({ at, card, merchant, description, status }, place) =>
            toTransaction(owner, {
              id: `${userId} ${turn} ${String(place).padStart(2, '0')}`,
              cardId: cardIds[card]!,
              createdAt: iso(at),
              merchantName: merchant,
              description,
              status,
            }),
          );
          told.push(...news);
          const others = news.map(({ createdAt }) => toTransaction(bystander, { createdAt }));
          await tell(harness.deps, { transactions: [...changed.values(), ...news, ...others.slice(0, 3)] });
        }
        // What is frequent in texts, and how much is one user's, changes the way in which they are searched.
        if (isAnalyzed) await db().query('analyze card_transactions');
        // Among transactions with the same date, a later arrival is newer; hence a stable sort of the
        // reversed list.
        const expected = told
          .toReversed()
          .toSorted((a, b) => Date.parse(b.createdAt) - Date.parse(a.createdAt));
        for (const { window, words, pageSize } of queries) {
          const read = await readAll(pageSize, async (currentPage) => {
            const asked = { userId, ...window, text: words ?? undefined, currentPage, pageSize };
            const { total, transactions } = await listCardTransactions(ctx(), asked);
            return { total, items: transactions };
          });
          assert.deepEqual(
            read.map(({ id, status, merchantName, card }) => [id, status, merchantName, card.id]),
            expected
              .filter(({ createdAt }) => isWithin(window, Date.parse(createdAt)))
              .filter(({ merchantName, description }) =>
                [merchantName, description ?? ''].some((text) => fold(text).includes(fold(words ?? ''))),
              )
              .map(({ id, status, merchantName, cardId }) => [id, status, merchantName, cardId]),
            words ?? 'no words',
          );
        }
        for (const cardId of cardIds) {
          for (const status of ['settled', undefined] as const) {
            const page = await findTransactions(ctx(), {
              userId,
              cardId,
              cardIssuerUserId,
              status,
              pageSize: 9,
              currentPage: 1,
            });
            assert.deepEqual(
              page.transactions.map(({ id }) => id),
              expected
                .filter((each) => each.cardId === cardId && (!status || each.status === status))
                .slice(9, 18)
                .map(({ id }) => id),
            );
          }
        }
        deepest = Math.max(deepest, await checkLists(db(), userId));
        await checkLists(db(), bystander.userId);
      },
    ),
    { numRuns: sized(8, 25), interruptAfterTimeLimit: 40_000 },
  );
  assert.equal(deepest, 3, 'levels of nodes that were made');
});

const anyMovement = fc.record({ at: anyAt, account: fc.nat(1), isDebit: fc.boolean() });

test('whatever movements arrive in whatever order, pages of all accounts and of each are those of a plain list', async () => {
  await useSmallNodes();
  let deepest = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(anyMovement, { minLength: 1, maxLength: 250, size: 'max' }),
      fc.infiniteStream(fc.integer({ min: 1, max: 40 })),
      fc.array(fc.record({ window: anyWindow, pageSize: fc.integer({ min: 4, max: 60 }) }), {
        minLength: 5,
        maxLength: 5,
      }),
      fc.nat(),
      async (specs, sizes, queries, seed) => {
        const { userId, cardIssuerUserId } = await makeCardOwner(harness);
        const accounts = [cardIssuerUserId, (await makeCardOwner(harness, { userId })).cardIssuerUserId];
        const balances = [0, 0];
        const sequences = [0, 0];
        const movements: (IssuerMovement & { account: number })[] = specs.map(({ at, account, isDebit }) => {
          const previous = balances[account]!;
          balances[account] = previous + (isDebit ? -1 : 1);
          sequences[account]! += 1;
          return {
            ...toMovement(accounts[account]!, { sequence: sequences[account]!, createdAt: iso(at) }),
            ...(isDebit && ({ type: 'debit', action: 'purchase' } as const)),
            previousBalance: `${previous}.00`,
            runningBalance: `${balances[account]}.00`,
            account,
          };
        });
        const arriving = shuffle(movements, seed);
        for (let from = 0; from < arriving.length; ) {
          const size = sizes.next().value;
          await tell(harness.deps, { movements: arriving.slice(from, from + size) });
          // Repeating movements changes nothing.
          await tell(harness.deps, { movements: arriving.slice(from, from + 2) });
          from += size;
        }
        const expected = movements.toSorted(
          (a, b) =>
            Date.parse(b.createdAt) - Date.parse(a.createdAt) ||
            b.sequence - a.sequence ||
            b.account - a.account,
        );
        for (const { window, pageSize } of queries) {
          const within = expected.filter(({ createdAt }) => isWithin(window, Date.parse(createdAt)));
          const read = await readAll(pageSize, async (currentPage) => {
            const { total, movements } = await listMovements(ctx(), {
              userId,
              ...window,
              currentPage,
              pageSize,
            });
            return { total, items: movements };
          });
          assert.deepEqual(
            read.map(({ id }) => id),
            within.map(({ id }) => id),
          );
          const page = { currentPage: 0, pageSize };
          const grouped = await listMovementsByAccount(ctx(), { userId, ...window, ...page });
          assert.deepEqual(
            grouped.accounts
              .map(({ cardIssuerUserId: id, total, movements }) => [
                id,
                total,
                movements.map((each) => each.id),
              ])
              .toSorted(),
            accounts
              .map((account) => {
                const own = within.filter((each) => each.cardIssuerUserId === account);
                return [account, own.length, own.slice(0, pageSize).map(({ id }) => id)];
              })
              .toSorted(),
          );
        }
        const { accounts: funded } = await listCardsWithCollateral(ctx(), {
          userId,
          currentPage: 0,
          pageSize: 1,
        });
        assert.deepEqual(
          new Map(funded.map((one) => [one.cardIssuerUserId, one.collateralMinor])),
          new Map(accounts.map((account, at) => [account, BigInt(balances[at]!) * 100n])),
        );
        deepest = Math.max(deepest, await checkLists(db(), userId));
      },
    ),
    { numRuns: sized(8, 20), interruptAfterTimeLimit: 40_000 },
  );
  assert.equal(deepest, 3, 'levels of nodes that were made');
});

function shuffle<T>(items: readonly T[], seed: number): T[] {
  let state = seed + 1;
  const next = () => {
    state = (state * 48_271) % 2_147_483_647;
    return state;
  };
  return items
    .map((item) => ({ item, key: next() }))
    .toSorted((a, b) => a.key - b.key)
    .map(({ item }) => item);
}

test('twelve who write for the same users at once, the same rows too: nothing is lost and nothing counted twice', async () => {
  await useSmallNodes();
  const owners = [await makeCardOwner(harness), await makeCardOwner(harness), await makeCardOwner(harness)];
  const shared = Array.from({ length: 60 }, (_, n) =>
    toTransaction(owners[n % 3]!, { createdAt: iso(start + n * hour) }),
  );
  const movements = Array.from({ length: 300 }, (_, n) =>
    toMovement(owners[n % 3]!.cardIssuerUserId, {
      sequence: Math.floor(n / 3) + 1,
      createdAt: iso(start + (n % 50) * hour),
    }),
  );
  await Promise.all(
    Array.from({ length: 12 }, async (_, lane) => {
      for (let turn = 0; turn < 8; turn++) {
        const own = Array.from({ length: 6 }, (_, n) =>
          toTransaction(owners[n % 3]!, { createdAt: iso(start + ((lane * 7 + turn * 3 + n) % 60) * hour) }),
        );
        await tell(harness.deps, {
          transactions: [...own, ...shuffle(shared, lane * 8 + turn).slice(0, 10)],
          movements: shuffle(movements, lane * 8 + turn).slice(0, 30),
        });
      }
    }),
  );
  await tell(harness.deps, { transactions: shared, movements });
  for (const { userId } of owners) {
    assert.equal(await checkLists(db(), userId), 3);
    const page = { userId, currentPage: 0, pageSize: 200 };
    assert.equal((await listCardTransactions(ctx(), page)).total, 20 + 12 * 8 * 2);
    assert.equal((await listMovements(ctx(), page)).total, 100);
  }
});

test('who writes for one user does not wait for who writes for another', async (t) => {
  const config = { ...testConfig(harness.databaseUrl), databaseLockTimeoutMs: 500 };
  const impatient = createDeps(config, testLog());
  t.after(() => impatient.db.end());
  const [one, other] = [await makeCardOwner(harness), await makeCardOwner(harness)];
  await db().transaction(async (held) => {
    await tell({ db: held }, { transactions: [toTransaction(one)] });
    await tell(harness.deps, { transactions: [toTransaction(other)] });
    await assert.rejects(tell(impatient, { transactions: [toTransaction(one)] }), /database busy/);
  });
});

test('a transaction keeps its date, its card and its place, and stays; its state and its amount may change', async () => {
  const owner = await makeCardOwner(harness, { cards: [{}, {}] });
  const transaction = toTransaction(owner, { createdAt: iso(start) });
  await tell(harness.deps, { transactions: [transaction] });
  const { id } = transaction;
  for (const change of [
    "created_at = created_at + interval '1 ms'",
    `card_id = '${owner.cardIds[1]}'`,
    'list_id = list_id + 1',
  ]) {
    await assert.rejects(db().query(`update card_transactions set ${change} where id = $1`, [id]), {
      code: '23001',
    });
  }
  await assert.rejects(db().query('delete from card_transactions where id = $1', [id]), { code: '23001' });
  await tell(harness.deps, {
    transactions: [{ ...transaction, version: 2, status: 'settled', amount: '0.75' }],
  });
  const { transactions } = await listCardTransactions(ctx(), {
    userId: owner.userId,
    currentPage: 0,
    pageSize: 9,
  });
  assert.deepEqual(
    transactions.map(({ status, amountMinor }) => [status, amountMinor]),
    [['settled', 75n]],
  );
});

test('a row that is under another user than its card or account is refused', async () => {
  const [one, other] = [await makeCardOwner(harness), await makeCardOwner(harness)];
  await assert.rejects(
    db().query(
      `insert into card_transactions (id, card_id, user_id, version, type, status, amount, currency, merchant_name, created_at, updated_at)
       values ('strange', $1, $2, 1, 'purchase', 'pending', 1, 'USD', 'Shop', now(), now())`,
      [one.cardIds[0], other.userId],
    ),
    { code: '23503' },
  );
});

test('a card of another user, or one under another account, is not there', async () => {
  const [one, other] = [await makeCardOwner(harness), await makeCardOwner(harness)];
  const { userId } = one;
  await tell(harness.deps, { transactions: [toTransaction(one), toTransaction(other)] });
  const none = { currentPage: 0, pageSize: 5 };
  const ask = (of: typeof one, account?: string) =>
    findTransactions(ctx(), { userId, cardId: of.cardIds[0]!, cardIssuerUserId: account, ...none });
  assert.equal((await ask(one, one.cardIssuerUserId)).transactions.length, 1);
  assert.equal((await ask(one)).cardIssuerUserId, one.cardIssuerUserId);
  for (const [of, account] of [
    [other, other.cardIssuerUserId],
    [other, undefined],
    [one, other.cardIssuerUserId],
  ] as const) {
    assert.equal((await refusalOf(ask(of, account))).code, 'card_not_found');
  }
  const ofAccount = (cardIssuerUserId: string) =>
    findTransactions(ctx(), { userId, cardIssuerUserId, ...none });
  assert.equal((await ofAccount(one.cardIssuerUserId)).total, 1);
  assert.equal((await refusalOf(ofAccount(other.cardIssuerUserId))).code, 'card_account_not_found');
  assert.deepEqual(await listMovementsByAccount(ctx(), { userId, ...none }), {
    accounts: [{ cardIssuerUserId: one.cardIssuerUserId, total: 0, movements: [] }],
  });
});

test('a text is looked for in the merchant or in the description, not across the two', async () => {
  const owner = await makeCardOwner(harness);
  await tell(harness.deps, {
    transactions: [toTransaction(owner, { merchantName: 'Corner', description: 'Shop' })],
  });
  const find = async (text: string) =>
    (await listCardTransactions(ctx(), { userId: owner.userId, text, currentPage: 0, pageSize: 5 })).total;
  assert.deepEqual(await Promise.all(['corner', 'SHOP', 'corner shop'].map(find)), [1, 1, 0]);
});
