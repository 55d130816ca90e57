import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Compile } from 'typebox/compile';
import { day, disarmed, hostile, idsOf, useCardTools } from '#test/callers/card-tool-calls';
import { checkTool, keyContext, noteStatements, readAllPages, refusalOf } from '#test/callers/tool-call';
import { makeKey } from '#test/data/factories';
import { tell, toCard, toMovement, toTransaction } from '#test/models/card-model';
import { cardTools } from './tools.ts';

const { harness, callTool, owner, call, makeOwner } = useCardTools();

for (const tool of cardTools) test(`${tool.name} says what a client must know`, () => checkTool(tool));

test('the tools, the scope that each needs, and which of them change something', () => {
  assert.deepEqual(
    cardTools.map(({ name, scope, hints }) => [name, scope, hints.readOnly, hints.destructive]),
    [
      ['getUserCards', 'mcp', true, false],
      ['getUserCardTransactions', 'mcp', true, false],
      ['getUserCardSummary', 'mcp', true, false],
      ['getUserCardBalanceMovements', 'mcp', true, false],
      ['getUserCardBalanceAutomation', 'mcp', true, false],
      ['getCardRevealPublicKey', 'mcp', true, false],
      ['createUserCards', 'mcp:write', false, false],
      ['updateUserCard', 'mcp:write', false, true],
    ],
  );
  const [{ scopeFor }] = cardTools as [(typeof cardTools)[number]];
  assert.equal(scopeFor!({ includeCardSecrets: true }), 'mcp_card_reveal');
  for (const without of [{}, { includeCardSecrets: false }, { includeCardSecrets: 'true' }]) {
    assert.equal(scopeFor!(without), undefined);
  }
});

// ## getUserCards

test('cards: the contract’s fields, newest first, with all collateral, in one statement', async () => {
  const one = await makeOwner([
    { id: 'card-old', nickname: hostile, lastFourDigits: '1111', createdAt: day(1) },
    { id: 'card-new', nickname: null, lastFourDigits: '2222', status: 'locked', createdAt: day(3) },
    { id: 'card-gone', status: 'canceled', createdAt: day(4) },
  ]);
  const other = await makeOwner([{ id: 'card-mid', nickname: 'Mid', createdAt: day(2), status: 'inactive' }]);
  await tell(harness.deps, {
    movements: [
      toMovement(one.cardIssuerUserId, { sequence: 1, amount: '12.30', runningBalance: '12.30' }),
      toMovement(other.cardIssuerUserId, { sequence: 1, amount: '0.05', runningBalance: '0.05' }),
    ],
  });
  const ctx = keyContext(harness, owner);
  const statements = noteStatements(ctx);
  const all = [
    {
      id: 'card-new',
      cardIssuerUserId: one.cardIssuerUserId,
      nickname: null,
      lastFourDigits: '2222',
      kind: 'virtual',
      status: 'locked',
      statusChangedAt: day(3),
      spendable: '0.00',
    },
    {
      id: 'card-mid',
      cardIssuerUserId: other.cardIssuerUserId,
      nickname: 'Mid',
      lastFourDigits: '4242',
      kind: 'virtual',
      status: 'inactive',
      statusChangedAt: day(2),
      spendable: '0.00',
    },
    {
      id: 'card-old',
      cardIssuerUserId: one.cardIssuerUserId,
      nickname: disarmed,
      lastFourDigits: '1111',
      kind: 'virtual',
      status: 'active',
      statusChangedAt: day(1),
      spendable: '12.30',
    },
  ];
  const accounts = [
    { cardIssuerUserId: one.cardIssuerUserId, collateral: '12.30', refill: null },
    { cardIssuerUserId: other.cardIssuerUserId, collateral: '0.05', refill: null },
  ].toSorted((a, b) => (a.cardIssuerUserId < b.cardIssuerUserId ? -1 : 1));
  assert.deepEqual(await callTool(ctx, 'getUserCards'), {
    userId: owner.userId,
    cards: all,
    balances: { totalUsd: '12.35' },
    accounts,
    pagination: { currentPage: 0, pageSize: 10, totalCount: 3, hasNextPage: false },
  });
  assert.equal(statements.length, 1);

  const cardsOf = async (args: object) => idsOf((await call('getUserCards', args)).cards);
  assert.deepEqual(await cardsOf({ status: 'all' }), ['card-gone', 'card-new', 'card-mid', 'card-old']);
  assert.deepEqual(await cardsOf({ status: 'canceled' }), ['card-gone']);
  assert.deepEqual(await cardsOf({ status: 'active' }), ['card-old']);
  assert.deepEqual(await cardsOf({ cardIssuerUserId: one.cardIssuerUserId }), ['card-new', 'card-old']);
  assert.deepEqual(await cardsOf({ cardId: 'card-mid' }), ['card-mid']);
  assert.deepEqual(
    await cardsOf({ cardId: 'card-gone' }),
    ['card-gone'],
    'by its id also when it is canceled',
  );
  assert.deepEqual(
    await cardsOf({
      cardId: 'card-mid',
      cardIssuerUserId: other.cardIssuerUserId,
      includeCardSecrets: false,
    }),
    ['card-mid'],
  );
  const ofOne = await call('getUserCards', { cardId: 'card-mid' });
  assert.equal(ofOne.balances.totalUsd, '12.35', 'whichever cards are asked for');
});

test('cards: of a user without any, and a page past the end', async () => {
  assert.deepEqual(await call('getUserCards'), {
    userId: owner.userId,
    cards: [],
    balances: { totalUsd: '0.00' },
    accounts: [],
    pagination: { currentPage: 0, pageSize: 10, totalCount: 0, hasNextPage: false },
  });
  await makeOwner([{}, {}]);
  const past = await call('getUserCards', { currentPage: 5, pageSize: 2 });
  assert.deepEqual([past.cards, past.pagination.totalCount, 'nextArguments' in past], [[], 2, false]);
  const [{ id: cardId }] = (await call('getUserCards')).cards;
  assert.equal((await call('getUserCards', { cardId, currentPage: 1 })).pagination.totalCount, 1);
});

test('cards: pages by nextArguments are the whole list, with the filter', async () => {
  await makeOwner(Array.from({ length: 11 }, (_, at) => ({ createdAt: day(1 + (at % 4)) })));
  await makeOwner([{ status: 'locked' }]);
  const whole = idsOf((await call('getUserCards', { pageSize: 100 })).cards);
  const active = idsOf((await call('getUserCards', { pageSize: 100, status: 'active' })).cards);
  assert.deepEqual([whole.length, active.length], [12, 11]);
  for (const [args, expected] of [
    [{}, whole],
    [{ pageSize: 1 }, whole],
    [{ pageSize: 5, status: 'active' }, active],
    [{ pageSize: 4 }, whole],
  ] as const) {
    const pages = await readAllPages((next) => call('getUserCards', next), args);
    assert.deepEqual(
      pages.flatMap(({ cards }) => idsOf(cards)),
      expected,
    );
  }
});

test('404 cards, accounts and mixtures that are not the user’s, with what to call next', async () => {
  const stranger = await makeKey(harness);
  const [mine, second, theirs] = [await makeOwner(), await makeOwner(), await makeOwner([{}], stranger)];
  const [own, strange] = [mine.cardIds[0]!, theirs.cardIds[0]!];
  for (const [args, code] of [
    [{ cardId: strange }, 'card_not_found'],
    [{ cardId: 'nobodys' }, 'card_not_found'],
    [{ cardId: strange, cardIssuerUserId: theirs.cardIssuerUserId }, 'card_not_found'],
    [{ cardId: own, cardIssuerUserId: theirs.cardIssuerUserId }, 'card_not_found'],
    [{ cardId: own, cardIssuerUserId: second.cardIssuerUserId }, 'card_not_found'],
    [{ cardId: own, status: 'canceled' }, 'card_not_found'],
    [{ cardIssuerUserId: theirs.cardIssuerUserId }, 'card_account_not_found'],
    [{ cardIssuerUserId: 'nobodys' }, 'card_account_not_found'],
  ] as const) {
    const refusal = await refusalOf(call('getUserCards', args));
    assert.deepEqual([refusal.status, refusal.code], [404, code], JSON.stringify(args));
    assert.match(refusal.message, /^Card (account )?not found\. Call getUserCards with status all /);
  }
  const { cardIssuerUserId } = theirs;
  for (const card of [
    { cardId: strange, cardIssuerUserId },
    { cardId: own, cardIssuerUserId },
    { cardId: own, cardIssuerUserId: second.cardIssuerUserId },
  ]) {
    for (const asked of [
      () => call('getUserCardTransactions', card),
      () => call('getUserCards', { ...card, includeCardSecrets: true, sessionId: 'c2Vzc2lvbg==' }),
      () => call('updateUserCard', { ...card, nickname: 'Stolen' }),
    ]) {
      const refusal = await refusalOf(asked());
      assert.deepEqual([refusal.status, refusal.code], [404, 'card_not_found']);
    }
  }
  const made = await refusalOf(
    call('createUserCards', { cards: [{ spendingLimit: '1', cardIssuerUserId }] }),
  );
  assert.deepEqual([made.status, made.code], [404, 'card_account_not_found']);
});

test('400 a reveal that lacks something, and a session without a reveal', async () => {
  const mine = await makeOwner();
  const whole = {
    cardId: mine.cardIds[0],
    cardIssuerUserId: mine.cardIssuerUserId,
    sessionId: 'c2Vzc2lvbg==',
  };
  const refuse = async (args: object) => {
    const { status, message } = await refusalOf(call('getUserCards', args));
    assert.equal(status, 400);
    return message;
  };
  for (const missing of ['cardId', 'cardIssuerUserId', 'sessionId'] as const) {
    const message = await refuse({ ...whole, [missing]: undefined, includeCardSecrets: true });
    assert.match(
      message,
      new RegExp(`^includeCardSecrets needs ${missing} as well: .*getCardRevealPublicKey`),
    );
  }
  const nothing = await refuse({ includeCardSecrets: true });
  assert.match(nothing, /^includeCardSecrets needs cardId, cardIssuerUserId, sessionId as well/);
  for (const args of [whole, { sessionId: 'c2Vzc2lvbg==' }, { ...whole, includeCardSecrets: false }]) {
    assert.match(await refuse(args), /^sessionId is only for a reveal: set includeCardSecrets to true/);
  }
});

// ## getUserCardTransactions

test('transactions of a card: the contract’s fields, hostile merchants disarmed, amounts as numbers', async () => {
  const mine = await makeOwner([{ id: 'card-a' }, { id: 'card-b' }]);
  const { cardIssuerUserId } = mine;
  await tell(harness.deps, {
    transactions: [
      toTransaction(mine, {
        id: 't1',
        cardId: 'card-a',
        amount: '0.10',
        merchantName: hostile,
        status: 'settled',
        createdAt: day(1),
      }),
      toTransaction(mine, {
        id: 't2',
        cardId: 'card-a',
        amount: '1234567.89',
        merchantName: 'Padaria São João',
        type: 'refund',
        createdAt: day(2),
      }),
      toTransaction(mine, { id: 't3', cardId: 'card-b' }),
    ],
  });
  const card = { cardId: 'card-a', cardIssuerUserId };
  const onCard = { cardId: 'card-a', lastFourDigits: '4242' };
  assert.deepEqual(await call('getUserCardTransactions', card), {
    userId: owner.userId,
    ...card,
    totals: [
      { status: 'pending', currency: 'USD', count: 1, purchases: '0.00', refunds: '1234567.89' },
      { status: 'settled', currency: 'USD', count: 1, purchases: '0.10', refunds: '0.00' },
    ],
    transactions: [
      {
        id: 't2',
        amount: 1234567.89,
        currency: 'USD',
        merchantName: 'Padaria São João',
        status: 'pending',
        createdAt: day(2),
        type: 'refund',
        ...onCard,
      },
      {
        id: 't1',
        amount: 0.1,
        currency: 'USD',
        merchantName: disarmed,
        status: 'settled',
        createdAt: day(1),
        type: 'purchase',
        ...onCard,
      },
    ],
    pagination: { currentPage: 0, pageSize: 10, totalCount: 2, hasNextPage: false },
  });
  const settled = await call('getUserCardTransactions', { ...card, status: 'settled' });
  assert.deepEqual(idsOf(settled.transactions), ['t1']);
  assert.deepEqual((await call('getUserCardTransactions', { ...card, status: 'declined' })).transactions, []);
});

test('transactions of all cards: canceled ones too, by merchant, period and status, with totals of all pages', async () => {
  const mine = await makeOwner([
    { id: 'card-every' },
    { id: 'card-over', status: 'canceled', lastFourDigits: '0001' },
  ]);
  await tell(harness.deps, {
    transactions: [
      ...Array.from({ length: 12 }, (_, n) =>
        toTransaction(mine, { merchantName: 'CAFÉ Central', amount: '2.50', createdAt: day(n + 1) }),
      ),
      toTransaction(mine, {
        id: 'no-money',
        cardId: 'card-over',
        merchantName: 'Shop',
        status: 'declined',
        declineReason: hostile,
        createdAt: day(20),
      }),
    ],
  });
  const all = await call('getUserCardTransactions');
  assert.deepEqual([all.cardId, all.cardIssuerUserId, all.pagination.totalCount], [null, null, 13]);
  const [{ id, declineReason, cardId, lastFourDigits }] = all.transactions;
  assert.deepEqual([id, declineReason, cardId, lastFourDigits], ['no-money', disarmed, 'card-over', '0001']);

  const inCafes = await call('getUserCardTransactions', {
    merchant: ' cafe ',
    startDate: '2026-01-02',
    pageSize: 4,
  });
  assert.deepEqual(inCafes.totals, [
    { status: 'pending', currency: 'USD', count: 11, purchases: '27.50', refunds: '0.00' },
  ]);
  assert.deepEqual(inCafes.nextArguments.currentPage, 1);
  assert.equal((await call('getUserCardTransactions', inCafes.nextArguments)).pagination.totalCount, 11);
  assert.ok(!('searchedFrom' in inCafes), 'everything was searched');
  const ofAccount = { cardIssuerUserId: mine.cardIssuerUserId, status: 'declined' };
  assert.deepEqual(idsOf((await call('getUserCardTransactions', ofAccount)).transactions), ['no-money']);
  assert.equal(
    (await call('getUserCardTransactions', { cardId: 'card-over' })).cardIssuerUserId,
    mine.cardIssuerUserId,
  );

  for (const [args, start] of [
    [{ merchant: '  ' }, 'merchant must be part of a name, such as cafe'],
    [{ startDate: '2026-13-01' }, 'startDate must be '],
    [{ cardId: 'card-of-nobody' }, 'Card not found. Call getUserCards with status all'],
    [{ cardIssuerUserId: 'nobody' }, 'Card account not found. Call getUserCards with status all'],
  ] as const) {
    assert.ok((await refusalOf(call('getUserCardTransactions', args))).message.startsWith(start), start);
  }
});

test('transactions of a card: pages by nextArguments are the whole list', async () => {
  const mine = await makeOwner();
  const card = { cardId: mine.cardIds[0], cardIssuerUserId: mine.cardIssuerUserId };
  const statuses = ['pending', 'settled', 'declined', 'reversed'] as const;
  await tell(harness.deps, {
    transactions: Array.from({ length: 30 }, (_, at) =>
      toTransaction(mine, { status: statuses[at % 3], createdAt: day(1 + (at % 7)) }),
    ),
  });
  for (const status of [undefined, 'settled', 'reversed']) {
    const whole = await call('getUserCardTransactions', { ...card, status, pageSize: 100 });
    assert.ok(!('nextArguments' in whole));
    for (const pageSize of [undefined, 1, 3, 10]) {
      const pages = await readAllPages((next) => call('getUserCardTransactions', next), {
        ...card,
        status,
        pageSize,
      });
      assert.deepEqual(
        pages.flatMap(({ transactions }) => transactions),
        whole.transactions,
      );
      assert.equal(pages.length, Math.max(1, Math.ceil(whole.transactions.length / (pageSize ?? 10))));
    }
  }
});

// ## getUserCardSummary

test('summary: the contract’s fields, limits as strings, as of an instant', async () => {
  const mine = await makeOwner([
    {
      id: 'card-s',
      nickname: 'Now',
      spendingLimit: '250.50',
      spendingInterval: 'all-time',
      createdAt: day(1),
    },
    { id: 'card-c', status: 'canceled', createdAt: day(2) },
  ]);
  const { cardIssuerUserId } = mine;
  await tell(harness.deps, {
    cards: [
      toCard(cardIssuerUserId, {
        id: 'card-s',
        version: 2,
        nickname: hostile,
        status: 'locked',
        spendingLimit: '20.00',
        spendingInterval: 'all-time',
        createdAt: day(1),
        updatedAt: day(10),
      }),
    ],
    transactions: [toTransaction(mine, { cardId: 'card-s', amount: '5.25', createdAt: day(5) })],
  });
  const fixed = {
    id: 'card-s',
    cardIssuerUserId,
    lastFourDigits: '4242',
    kind: 'virtual',
    spendable: '0.00',
  };
  const pagination = { currentPage: 0, pageSize: 10, totalCount: 1, hasNextPage: false };
  const accounts = [{ cardIssuerUserId, collateral: '0.00', refill: null }];
  const { asOf, ...now } = await call('getUserCardSummary');
  assert.ok(Math.abs(Date.parse(asOf) - Date.now()) < 600_000);
  assert.deepEqual(now, {
    userId: owner.userId,
    accounts,
    cardsSnapshot: [
      {
        ...fixed,
        nickname: disarmed,
        status: 'locked',
        statusChangedAt: day(10),
        spendingLimit: '20.00',
        availableLimit: '14.75',
        spendingInterval: 'all-time',
      },
    ],
    pagination,
  });
  assert.deepEqual(await call('getUserCardSummary', { asOf: day(4) }), {
    userId: owner.userId,
    asOf: day(4),
    accounts,
    cardsSnapshot: [
      {
        ...fixed,
        nickname: 'Now',
        currentNickname: disarmed,
        status: 'active',
        statusChangedAt: day(1),
        spendingLimit: '250.50',
        availableLimit: '250.50',
        spendingInterval: 'all-time',
      },
    ],
    pagination,
  });
  const whole = await call('getUserCardSummary', { status: 'all' });
  assert.deepEqual(idsOf(whole.cardsSnapshot), ['card-c', 'card-s']);
  assert.deepEqual((await call('getUserCardSummary', { asOf: '2020-01-01' })).cardsSnapshot, []);
  assert.match(
    (await refusalOf(call('getUserCardSummary', { asOf: '2026-13-01' }))).message,
    /^asOf must be /,
  );
});

test('summary: pages by nextArguments are of one instant, also with cards from ahead of our clock', async () => {
  const ahead = new Date(Date.now() + 3_600_000).toISOString();
  const mine = await makeOwner([
    { createdAt: ahead },
    ...Array.from({ length: 12 }, (_, at) => ({ createdAt: day(1 + (at % 5)) })),
  ]);
  const whole = (await call('getUserCardSummary', { pageSize: 100 })).cardsSnapshot;
  assert.equal(whole.length, 13);
  for (const pageSize of [1, 5, 10]) {
    const pages = await readAllPages(
      async (next) => {
        const page = await call('getUserCardSummary', next);
        const createdAt = new Date(Date.now() + 7_200_000).toISOString();
        await tell(harness.deps, { cards: [toCard(mine.cardIssuerUserId, { createdAt })] });
        return page;
      },
      { pageSize },
    );
    const known = new Set(idsOf(whole));
    const read = pages.flatMap(({ cardsSnapshot }) => cardsSnapshot).filter(({ id }) => known.has(id));
    assert.deepEqual(idsOf(read), idsOf(whole));
    assert.ok(pages[0].nextArguments.asOf);
  }
});

test('summary: cards that the issuer changed ahead of our clock are on the later pages, too', async () => {
  const mine = await makeOwner([{}, {}, {}]);
  const updatedAt = `${new Date(Date.now() + 60_000).toISOString().slice(0, -1)}789Z`;
  await tell(harness.deps, {
    cards: mine.cardIds.map((id) => ({
      ...toCard(mine.cardIssuerUserId, { id }),
      version: 2,
      status: 'locked' as const,
      updatedAt,
    })),
  });
  const pages = await readAllPages((next) => call('getUserCardSummary', next), {
    status: 'locked',
    pageSize: 1,
  });
  const read = pages.flatMap(({ cardsSnapshot }) => cardsSnapshot);
  assert.deepEqual(new Set(idsOf(read)), new Set(mine.cardIds));
});

// ## Arguments

test('what the inputs do not allow', () => {
  const inputs = new Map(cardTools.map(({ name, input }) => [name, Compile(input)]));
  const card = { cardId: 'c', cardIssuerUserId: 'a' };
  for (const [name, args] of [
    ['getUserCards', { userId: 'somebody' }],
    ['getUserCards', { status: 'Active' }],
    ['getUserCards', { pageSize: 101 }],
    ['getUserCards', { pageSize: 0 }],
    ['getUserCards', { pageSize: '10' }],
    ['getUserCards', { currentPage: -1 }],
    ['getUserCards', { includeCardSecrets: 'true' }],
    ['getUserCards', { sessionId: 'x'.repeat(1_001) }],
    ['getUserCards', { sessionId: 'not base64!' }],
    ['getUserCards', { cardId: '../../..' }],
    ['getUserCards', { cardId: null }],
    ['getUserCardTransactions', { cardId: '' }],
    ['getUserCardTransactions', { merchant: '' }],
    ['getUserCardTransactions', { pageSize: 101 }],
    ['getUserCardTransactions', { ...card, status: 'all' }],
    ['getUserCardSummary', { asOf: 5 }],
    ['getUserCardSummary', { startDate: '2026-01-01' }],
    ['getUserCardBalanceMovements', { cardIssuerUserId: 'a' }],
    ['getUserCardBalanceAutomation', { pageSize: 1.5 }],
    ['getCardRevealPublicKey', { any: 1 }],
    ['createUserCards', {}],
    ['createUserCards', { cards: [] }],
    ['createUserCards', { cards: [{}] }],
    ['createUserCards', { cards: [{ spendingLimit: 5 }] }],
    ['createUserCards', { cards: [{ spendingLimit: '5', status: 'active' }] }],
    ['createUserCards', { cards: Array(11).fill({ spendingLimit: '5' }) }],
    ['createUserCards', { cards: [{ spendingLimit: '5' }], idempotencyKey: 'two words' }],
    ['createUserCards', { cards: [{ spendingLimit: '5' }], userId: 'somebody' }],
    ['updateUserCard', { cardId: 'c', nickname: 'x' }],
    ['updateUserCard', { ...card, nickname: 'x\ny' }],
    ['updateUserCard', { ...card, status: 'all' }],
    ['updateUserCard', { ...card, spendingInterval: 'hourly' }],
  ] as const) {
    assert.equal(inputs.get(name)!.Check(args), false, `${name} ${JSON.stringify(args)}`);
  }
  assert.ok(inputs.get('updateUserCard')!.Check({ ...card, nickname: null }));
});
