import assert from 'node:assert/strict';
import { test } from 'node:test';
import { day, disarmed, hostile, idsOf, useCardTools } from '#test/callers/card-tool-calls';
import { readAllPages, refusalOf } from '#test/callers/tool-call';
import { makeKey } from '#test/data/factories';
import { type CardOwner, makeCardOwner, tell, toMovement, toTransaction } from '#test/models/card-model';

const { harness, owner, call, makeOwner } = useCardTools();

// ## getUserCardBalanceMovements

test('movements: the contract’s fields for each account, amounts as strings', async () => {
  const [one, two] = [await makeOwner(), await makeOwner()];
  await tell(harness.deps, {
    movements: [
      toMovement(one.cardIssuerUserId, {
        id: 'm1',
        sequence: 1,
        amount: '10.00',
        runningBalance: '10.00',
        description: hostile,
        createdAt: day(1),
      }),
      toMovement(one.cardIssuerUserId, {
        id: 'm2',
        sequence: 2,
        action: 'purchase',
        type: 'debit',
        amount: '12.50',
        description: 'Shop',
        previousBalance: '10.00',
        runningBalance: '-2.50',
        createdAt: day(2),
      }),
    ],
  });
  const page = { currentPage: 0, pageSize: 10 };
  const { balanceMovements, ...rest } = await call('getUserCardBalanceMovements');
  assert.deepEqual(rest, { userId: owner.userId });
  const ofOne = {
    cardIssuerUserId: one.cardIssuerUserId,
    movements: [
      {
        id: 'm2',
        description: 'Shop',
        action: 'purchase',
        status: 'completed',
        amount: '12.50',
        runningBalance: '-2.50',
        previousBalance: '10.00',
        createdAt: day(2),
        type: 'debit',
      },
      {
        id: 'm1',
        description: disarmed,
        action: 'deposit',
        status: 'completed',
        amount: '10.00',
        runningBalance: '10.00',
        previousBalance: '0.00',
        createdAt: day(1),
        type: 'credit',
      },
    ],
    pagination: { ...page, totalCount: 2, hasNextPage: false },
  };
  const ofTwo = {
    cardIssuerUserId: two.cardIssuerUserId,
    movements: [],
    pagination: { ...page, totalCount: 0, hasNextPage: false },
  };
  const byAccount = (list: { cardIssuerUserId: string }[]) =>
    list.toSorted((a, b) => (a.cardIssuerUserId < b.cardIssuerUserId ? -1 : 1));
  assert.deepEqual(byAccount(balanceMovements), byAccount([ofOne, ofTwo]));
  const onDay = await call('getUserCardBalanceMovements', { startDate: '2026-01-02', endDate: '2026-01-02' });
  const found = onDay.balanceMovements.flatMap(({ movements }: { movements: { id: string }[] }) =>
    idsOf(movements),
  );
  assert.deepEqual(found, ['m2']);
  for (const [period, count] of [
    [{ startDate: '2026-01', endDate: '2026-01' }, 2],
    [{ startDate: '2026', endDate: '2026' }, 2],
    [{ startDate: '2026-02' }, 0],
    [{ endDate: '2025' }, 0],
  ] as const) {
    const { balanceMovements } = await call('getUserCardBalanceMovements', period);
    const counts = balanceMovements.map((each: { movements: object[] }) => each.movements.length);
    assert.equal(Math.max(...counts), count, JSON.stringify(period));
  }
  for (const [args, start] of [
    [
      { startDate: 'not a date' },
      'startDate must be a year, month, day or instant of ISO 8601, such as 2026, ',
    ],
    [{ endDate: '2026-1' }, 'endDate must be a year, month, day or instant of ISO 8601, such as 2026, '],
    [{ startDate: '2026-01-02', endDate: '2026-01-01' }, 'startDate must not be after endDate'],
  ] as const) {
    assert.ok((await refusalOf(call('getUserCardBalanceMovements', args))).message.startsWith(start));
  }
});

test('movements: each names its card and payment and has the status of the payment', async () => {
  const account = await makeOwner([{ lastFourDigits: '1111' }, { lastFourDigits: '2222' }]);
  const { cardIssuerUserId, cardIds } = account;
  const stranger = await makeCardOwner(harness);
  const paid = (id: string, fields: object) => toTransaction(account, { id, ...fields });
  const moved = (sequence: number, transactionId: string | null, isCredit = false) => {
    const [before, after] = isCredit ? ['9.00', '10.00'] : ['10.00', '9.00'];
    return toMovement(cardIssuerUserId, {
      sequence,
      id: `${cardIssuerUserId}-${sequence}`,
      action: isCredit ? 'adjustment' : 'purchase',
      type: isCredit ? 'credit' : 'debit',
      previousBalance: before,
      runningBalance: after,
      transactionId,
    });
  };
  const ids = ['held', 'done', 'undone'].map((word) => `${cardIssuerUserId}-${word}`);
  const strange = toTransaction(stranger);
  await tell(harness.deps, {
    transactions: [
      paid(ids[0]!, { status: 'pending' }),
      paid(ids[1]!, { status: 'settled', cardId: cardIds[1] }),
      paid(ids[2]!, { status: 'reversed' }),
      strange,
    ],
    movements: [
      moved(1, ids[0]!),
      moved(2, ids[1]!),
      moved(3, ids[2]!),
      moved(4, ids[2]!, true),
      moved(5, null, true),
      moved(6, 'unknown-payment'),
      moved(7, strange.id),
    ],
  });
  const read = async () => {
    const { balanceMovements } = await call('getUserCardBalanceMovements');
    const [{ movements }] = balanceMovements;
    return movements
      .map(({ status, transactionId, cardId, lastFourDigits }: Record<string, string>) => [
        status,
        transactionId,
        cardId,
        lastFourDigits,
      ])
      .reverse();
  };
  const [one, two] = [
    [cardIds[0], '1111'],
    [cardIds[1], '2222'],
  ];
  const none = ['completed', undefined, undefined, undefined];
  assert.deepEqual(await read(), [
    ['pending', ids[0], ...one!],
    ['completed', ids[1], ...two!],
    ['reversed', ids[2], ...one!],
    ['reversed', ids[2], ...one!],
    none,
    none,
    none,
  ]);
  await tell(harness.deps, { transactions: [paid(ids[0]!, { version: 2, status: 'settled' })] });
  assert.deepEqual((await read())[0], ['completed', ids[0], ...one!], 'a hold ends with its payment');
});

for (const [title, period] of [
  ['without a period', {}],
  ['and until an end in the future', { startDate: '2020', endDate: '9999' }],
] as const) {
  test(`movements: pages by nextArguments are the whole list of each account, whatever arrives meanwhile, ${title}`, async () => {
    const owners = [await makeOwner(), await makeOwner()];
    const [from, sizes] = [Date.now() - 86_400_000, [23, 4]];
    const told = owners.map(({ cardIssuerUserId }, account) =>
      Array.from({ length: sizes[account]! }, (_, at) =>
        toMovement(cardIssuerUserId, {
          sequence: at + 1,
          createdAt: new Date(from + at * 3_900_000).toISOString(),
          previousBalance: `${at}.00`,
          runningBalance: `${at + 1}.00`,
        }),
      ),
    );
    for (const movements of told) await tell(harness.deps, { movements });
    let next = 24;
    const pages = await readAllPages(
      async (args) => {
        const page = await call('getUserCardBalanceMovements', args);
        const createdAt = new Date(Date.now() + 86_400_000).toISOString();
        const amounts = { previousBalance: `${next - 1}.00`, runningBalance: `${next}.00` };
        const movement = toMovement(owners[0]!.cardIssuerUserId, { sequence: next++, createdAt, ...amounts });
        await tell(harness.deps, { movements: [movement] });
        return page;
      },
      { pageSize: 4, ...period },
    );
    assert.equal(pages.length, 6);
    for (const [account, { cardIssuerUserId }] of owners.entries()) {
      const read = pages.flatMap(({ balanceMovements }) =>
        balanceMovements
          .filter((each: { cardIssuerUserId: string }) => each.cardIssuerUserId === cardIssuerUserId)
          .flatMap(({ movements }: { movements: { id: string }[] }) => idsOf(movements)),
      );
      assert.deepEqual(read, idsOf(told[account]!).reverse());
    }
  });
}

test('movements and refills of others are not there', async () => {
  const stranger = await makeKey(harness);
  const theirs = await makeOwner([{}], stranger);
  await tell(harness.deps, { movements: [toMovement(theirs.cardIssuerUserId, { sequence: 1 })] });
  await insertRefills(theirs, 1);
  assert.deepEqual((await call('getUserCardBalanceMovements')).balanceMovements, []);
  assert.deepEqual((await call('getUserCardBalanceAutomation')).autoRefillHistories, []);
  assert.deepEqual((await call('getUserCardSummary')).cardsSnapshot, []);
  assert.equal((await call('getUserCards')).balances.totalUsd, '0.00');
});

// ## getUserCardBalanceAutomation

const refillHash = `0x${'ab'.repeat(32)}`;

/**
 * The first is completed, the others failed: what their payments would have come to, behind the guards' back.
 */
async function insertRefills({ userId, cardIssuerUserId }: CardOwner, count: number): Promise<void> {
  await harness.deps.db.transaction(async (db) => {
    await db.query('alter table card_refills disable trigger user');
    await db.query(
      `insert into card_refills (card_issuer_user_id, user_id, number, amount, network, currency, due_at, created_at, updated_at,
         status, retries, error, transaction_hash, log_index, executed_at)
       select $1, $2, n, 1000 + n, 'polygon', 'USDC', now(), '2026-01-01Z'::timestamptz + (n / 2) * interval '1 hour', now(),
         case n when 1 then 'completed' else 'failed' end::card_refill_status, n - 1, 'none',
         case n when 1 then $4 end, case n when 1 then 0 end, case n when 1 then '2026-01-02Z'::timestamptz end
       from generate_series(1, $3::integer) n`,
      [cardIssuerUserId, userId, count, refillHash],
    );
    await db.query('alter table card_refills enable trigger user');
  });
}

test('refills: the contract’s fields, and pages by nextArguments', async () => {
  const mine = await makeOwner();
  await insertRefills(mine, 13);
  const whole = await call('getUserCardBalanceAutomation', { pageSize: 100 });
  assert.deepEqual(whole.pagination, { currentPage: 0, pageSize: 100, totalCount: 13, hasNextPage: false });
  const { id, ...oldest } = whole.autoRefillHistories.at(-1);
  assert.deepEqual(oldest, {
    amount: '10.01',
    status: 'completed',
    retries: 0,
    transactionHash: refillHash,
    executedAt: '2026-01-02T00:00:00.000Z',
    cardIssuerUserId: mine.cardIssuerUserId,
    createdAt: '2026-01-01T00:00:00.000Z',
  });
  const { id: _, ...newer } = whole.autoRefillHistories.at(-2);
  const { amount, retries } = newer;
  assert.deepEqual(newer, {
    amount,
    status: 'failed',
    retries,
    transactionHash: null,
    executedAt: null,
    cardIssuerUserId: mine.cardIssuerUserId,
    createdAt: '2026-01-01T01:00:00.000Z',
    failureReason: 'none',
  });
  assert.match(id, /^[0-9a-f-]{36}$/);
  for (const pageSize of [undefined, 1, 5, 13]) {
    const pages = await readAllPages((next) => call('getUserCardBalanceAutomation', next), { pageSize });
    assert.deepEqual(
      pages.flatMap(({ autoRefillHistories }) => autoRefillHistories),
      whole.autoRefillHistories,
    );
  }
});
