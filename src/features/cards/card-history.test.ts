import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { IssuedKey } from '#features/keys';
import { makeKey } from '#test/data/factories';
import { type Answer, useHarness } from '#test/harness';
import { makeCardOwner, tell, toMovement, toTransaction } from '#test/models/card-model';

// With the limiter's windows in the database, a test can give a user their allowance back.
const harness = useHarness({ rateLimitStore: 'postgres' });
/** As the owner of the key gets it; that only two are given in two seconds is another test's subject. */
async function get({ userId, token }: IssuedKey, feature: string, query = ''): Promise<Answer> {
  await harness.deps.db.query('delete from rate_windows where subject = $1', [userId]);
  return harness.request('GET', `/api/history?resource=cards&feature=cards-${feature}${query}`, { token });
}

async function read(key: IssuedKey, feature: string, query = '') {
  const { status, body } = await get(key, feature, query);
  assert.equal(status, 200, JSON.stringify(body));
  return body;
}

const at = (second: number) => new Date(Date.UTC(2026, 0, 10, 12, 0, second)).toISOString();

async function makeOwner(cards: Parameters<typeof makeCardOwner>[1] = {}) {
  const key = await makeKey(harness);
  return { key, owner: await makeCardOwner(harness, { ...cards, userId: key.userId }) };
}

test('200 cards-transactions: the contract’s fields, amount a number, newest first', async () => {
  const { key, owner } = await makeOwner({
    cards: [{ name: 'Ana Sousa', nickname: 'travel', lastFourDigits: '0042' }],
  });
  await tell(harness.deps, {
    transactions: [
      toTransaction(owner, {
        id: 'older',
        createdAt: at(1),
        amount: '12.30',
        merchantName: 'Café',
        status: 'declined',
        declineReason: 'limit exceeded',
      }),
      toTransaction(owner, {
        id: 'newer',
        createdAt: at(2),
        amount: '1234567.89',
        type: 'refund',
        status: 'settled',
        merchantName: 'Books',
        description: 'Order 7',
        merchantCategory: '5942',
        merchantCountry: 'PT',
        localAmount: '1100.01',
        localCurrency: 'EUR',
        authorizedAt: at(2),
        settledAt: at(3),
      }),
    ],
  });
  const card = { name: 'Ana Sousa', nickname: 'travel', lastFourDigits: '0042' };
  assert.deepEqual(await read(key, 'transactions'), {
    userCardTransactions: [
      {
        transaction: {
          id: 'newer',
          amount: 1234567.89,
          merchantName: 'Books',
          createdAt: at(2),
          type: 'refund',
          status: 'settled',
          currency: 'USD',
          description: 'Order 7',
          merchantCategory: '5942',
          merchantCountry: 'PT',
          localAmount: '1100.01',
          localCurrency: 'EUR',
          authorizedAt: at(2),
          settledAt: at(3),
          declineReason: null,
        },
        card,
      },
      {
        transaction: {
          id: 'older',
          amount: 12.3,
          merchantName: 'Café',
          createdAt: at(1),
          type: 'purchase',
          status: 'declined',
          currency: 'USD',
          description: null,
          merchantCategory: null,
          merchantCountry: null,
          localAmount: null,
          localCurrency: null,
          authorizedAt: null,
          settledAt: null,
          declineReason: 'limit exceeded',
        },
        card,
      },
    ],
    pagination: { hasNextPage: false, currentPage: 0, pageSize: 10, numberOfPages: 1, totalCount: 2 },
  });
});

test('200 cards-transactions: pages, windows with both ends, and texts', async () => {
  const { key, owner } = await makeOwner();
  await tell(harness.deps, {
    transactions: Array.from({ length: 7 }, (_, n) =>
      toTransaction(owner, {
        id: `${owner.userId} ${n}`,
        createdAt: at(n),
        merchantName: n % 2 ? 'Zoë 100%' : 'Other',
      }),
    ),
  });
  const found = async (query: string) => {
    const { userCardTransactions, pagination } = await read(key, 'transactions', query);
    const names = userCardTransactions.map((item: { transaction: { id: string } }) =>
      item.transaction.id.at(-1),
    );
    return [names.join(''), pagination];
  };
  const info = (currentPage: number, pageSize: number, totalCount: number) => {
    const numberOfPages = Math.ceil(totalCount / pageSize);
    return { hasNextPage: currentPage + 1 < numberOfPages, currentPage, pageSize, numberOfPages, totalCount };
  };
  assert.deepEqual(await found('&pageSize=3'), ['654', info(0, 3, 7)]);
  assert.deepEqual(await found('&pageSize=3&currentPage=2'), ['0', info(2, 3, 7)]);
  assert.deepEqual(await found('&pageSize=3&currentPage=9'), ['', info(9, 3, 7)]);
  assert.deepEqual(await found(`&startDate=${at(2)}&endDate=${at(4)}`), ['432', info(0, 10, 3)]);
  assert.deepEqual(await found('&startDate=2026-01-10&endDate=2026-01-10'), ['6543210', info(0, 10, 7)]);
  assert.deepEqual(await found('&endDate=2026-01-09'), ['', info(0, 10, 0)]);
  assert.deepEqual(await found('&filterByText=ZOE&pageSize=2'), ['53', info(0, 2, 3)]);
  assert.deepEqual(await found(`&filterByText=0%25&startDate=${at(2)}`), ['53', info(0, 10, 2)]);
  assert.deepEqual(await found('&filterByText=_'), ['', info(0, 10, 0)]);
});

test('200 cards-summary: the contract’s fields, spendingLimit a number; canceled ones are hidden until asked for', async () => {
  const { key, owner } = await makeOwner({
    cards: [
      { createdAt: at(1), nickname: 'old', status: 'canceled' },
      {
        createdAt: at(2),
        nickname: 'new',
        spendingLimit: '250.50',
        spendingInterval: 'weekly',
        lastFourDigits: '1111',
      },
      { createdAt: at(3), status: 'locked' },
    ],
  });
  const [, middle] = (await read(key, 'summary')).userCardsSnapshot;
  assert.deepEqual(middle, {
    id: owner.cardIds[1],
    nickname: 'new',
    lastFourDigits: '1111',
    status: 'active',
    spendingLimit: 250.5,
    spendingInterval: 'weekly',
  });
  const found = async (query: string) => {
    const { userCardsSnapshot, pagination } = await read(key, 'summary', query);
    return [
      userCardsSnapshot.map(({ id }: { id: string }) => owner.cardIds.indexOf(id)).join(''),
      pagination.totalCount,
      pagination.hasNextPage,
    ];
  };
  assert.deepEqual(await found(''), ['21', 2, false]);
  assert.deepEqual(await found('&status=all'), ['210', 3, false]);
  assert.deepEqual(await found('&status=all&pageSize=1&currentPage=1'), ['1', 3, true]);
  assert.deepEqual(await found('&status=canceled'), ['0', 1, false]);
  assert.deepEqual(await found('&status=inactive'), ['', 0, false]);
  assert.deepEqual(await found(`&status=all&asOf=${at(2)}`), ['10', 2, false]);
  assert.deepEqual(await found('&status=all&asOf=2026-01-10'), ['210', 3, false]);
  assert.deepEqual(await found('&status=all&asOf=2026-01-09'), ['', 0, false]);
  assert.deepEqual(await found('&status=all&asOf=2026-01'), ['210', 3, false]);
  assert.deepEqual(await found('&status=all&asOf=2025'), ['', 0, false]);
});

test('200 cards-balance: the contract’s fields, amounts numbers, all accounts together', async () => {
  const { key, owner } = await makeOwner();
  const second = await makeCardOwner(harness, { userId: key.userId });
  await tell(harness.deps, {
    movements: [
      toMovement(owner.cardIssuerUserId, {
        sequence: 1,
        createdAt: at(1),
        amount: '20.00',
        runningBalance: '20.00',
      }),
      toMovement(owner.cardIssuerUserId, {
        sequence: 2,
        createdAt: at(3),
        type: 'debit',
        action: 'purchase',
        amount: '20.55',
        previousBalance: '20.00',
        runningBalance: '-0.55',
        description: 'Shop',
      }),
      toMovement(second.cardIssuerUserId, { sequence: 1, createdAt: at(2) }),
    ],
  });
  assert.deepEqual(await read(key, 'balance', '&pageSize=2'), {
    cardIssuerUserCollateralMovement: [
      {
        amount: 20.55,
        runningBalance: -0.55,
        previousBalance: 20,
        description: 'Shop',
        createdAt: at(3),
        type: 'debit',
      },
      {
        amount: 1,
        runningBalance: 1,
        previousBalance: 0,
        description: 'Deposit',
        createdAt: at(2),
        type: 'credit',
      },
    ],
    pagination: { hasNextPage: true, currentPage: 0, pageSize: 2, numberOfPages: 2, totalCount: 3 },
  });
  const { pagination } = await read(key, 'balance', `&startDate=${at(2)}&endDate=${at(2)}`);
  assert.equal(pagination.totalCount, 1);
});

test('200 each feature: nothing of another user, and empty pages for who has no cards', async () => {
  const { owner } = await makeOwner();
  await tell(harness.deps, {
    transactions: [toTransaction(owner)],
    movements: [toMovement(owner.cardIssuerUserId, { sequence: 1 })],
  });
  const stranger = await makeKey(harness);
  const pagination = { hasNextPage: false, currentPage: 0, pageSize: 10, numberOfPages: 0, totalCount: 0 };
  assert.deepEqual(await read(stranger, 'transactions'), { userCardTransactions: [], pagination });
  assert.deepEqual(await read(stranger, 'transactions', '&filterByText=shop'), {
    userCardTransactions: [],
    pagination,
  });
  assert.deepEqual(await read(stranger, 'summary', '&status=all'), { userCardsSnapshot: [], pagination });
  assert.deepEqual(await read(stranger, 'balance'), { cardIssuerUserCollateralMovement: [], pagination });
});

test('200 asOf hides what came later; an empty text filters nothing; an unused period is named', async () => {
  const { owner, key } = await makeOwner();
  await tell(harness.deps, {
    transactions: [toTransaction(owner, { createdAt: at(1) }), toTransaction(owner, { createdAt: at(5) })],
    movements: [1, 5].map((second, index) =>
      toMovement(owner.cardIssuerUserId, { sequence: index + 1, createdAt: at(second) }),
    ),
  });
  const countOf = async (feature: 'transactions' | 'balance', query: string) =>
    (await read(key, feature, query)).pagination.totalCount;
  for (const feature of ['transactions', 'balance'] as const) {
    assert.equal(await countOf(feature, `&asOf=${at(4)}`), 1);
    assert.equal(await countOf(feature, `&asOf=${at(5)}`), 2);
    assert.equal(await countOf(feature, `&asOf=${at(9)}&endDate=${at(4)}`), 1);
    assert.equal(await countOf(feature, `&asOf=${at(4)}&startDate=${at(5)}`), 0);
    assert.equal(await countOf(feature, `&asOf=${at(0)}&startDate=${at(6)}`), 0);
  }
  assert.equal(await countOf('transactions', '&filterByText='), 2);
  assert.equal(await countOf('balance', '&filterByText='), 2);
  const { status, body } = await get(key, 'summary', `&startDate=${at(1)}&endDate=${at(2)}&filterByText=`);
  assert.equal(status, 200);
  assert.equal(body.message, 'Ignored, because cards-summary does not use it: startDate, endDate');
  assert.equal(body.userCardsSnapshot.length, 1);
  assert.equal('message' in (await read(key, 'summary')), false);
});

for (const [feature, query, error] of [
  ['transactions', '&status=active', 'status is not used by feature cards-transactions'],
  ['summary', '&filterByText=x', 'filterByText is not used by feature cards-summary'],
  [
    'summary',
    '&asOf=soon',
    'asOf must be a year, month, day or instant of ISO 8601, such as 2026, 2026-01, 2026-01-31 or 2026-01-31T12:00:00Z',
  ],
  ['balance', '&filterByText=x', 'filterByText is not used by feature cards-balance'],
  ['balance', '&startDate=2026-02-01&endDate=2026-01-01', 'startDate must not be after endDate'],
] as const) {
  test(`400 ${error}: cards-${feature}${query}`, async () => {
    const { status, body } = await get(await makeKey(harness), feature, query);
    assert.deepEqual([status, body.error], [400, error]);
  });
}
