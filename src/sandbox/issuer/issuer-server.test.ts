import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import {
  type CardStatus,
  cardStatuses,
  type Issuer,
  type IssuerCard,
  type IssuerEvent,
  IssuerFault,
  type IssuerFaultReason,
  type IssuerMovement,
  type IssuerTransaction,
  type Simulation,
} from '#adapters/issuer';
import { ask } from '#test/harness';
import { startTestIssuer, type TestIssuer } from '#test/issuer';

let server: TestIssuer;
let issuer: Issuer;

before(async () => {
  server = await startTestIssuer();
  issuer = server.issuer;
});
after(() => server?.stop());

const newKey = () => randomUUID();
const makeAccount = async () =>
  (await issuer.createUser({ reference: randomUUID(), idempotencyKey: newKey() })).id;
const terms = {
  name: 'ANA LIMA',
  nickname: 'Groceries',
  spendingLimit: '500.00',
  spendingInterval: 'monthly',
} as const;

async function makeCard({
  collateral,
  status = 'active',
  ...own
}: Partial<typeof terms | Pick<IssuerCard, 'spendingLimit' | 'spendingInterval'>> & {
  collateral?: string;
  status?: CardStatus;
} = {}): Promise<IssuerCard> {
  const cardIssuerUserId = await makeAccount();
  const cards = [{ ...terms, ...own }];
  const [made] = await issuer.createCards({ cardIssuerUserId, cards, idempotencyKey: newKey() });
  let card = made!;
  const steps: Record<CardStatus, CardStatus[]> = {
    inactive: [],
    active: ['active'],
    locked: ['active', 'locked'],
    canceled: ['canceled'],
  };
  for (const step of steps[status]) {
    card = await issuer.updateCard({ cardId: card.id, status: step, idempotencyKey: newKey() });
  }
  if (collateral) await issuer.simulate({ kind: 'collateral-deposit', cardIssuerUserId, amount: collateral });
  return card;
}

const buy = (cardId: string, amount: string, more: Partial<Simulation> = {}) =>
  issuer.simulate({ kind: 'authorization', cardId, amount, merchantName: 'Bakery', ...more } as Simulation);
const transactionOf = (events: IssuerEvent[]) =>
  events.find((event) => event.type === 'transaction.changed')!.data as IssuerTransaction;
const movementOf = (events: IssuerEvent[]) =>
  events.find((event) => event.type === 'movement.posted')?.data as IssuerMovement | undefined;

async function allEvents(): Promise<IssuerEvent[]> {
  const events: IssuerEvent[] = [];
  for (;;) {
    const page = await issuer.readEvents({ after: events.at(-1)?.sequence ?? 0n, limit: 1_000 });
    if (page.length === 0) return events;
    events.push(...(page as IssuerEvent[]));
  }
}

const refused = (call: Promise<unknown>, reason: IssuerFaultReason, message?: RegExp) =>
  assert.rejects(call, (error) => {
    assert.ok(error instanceof IssuerFault, String(error));
    assert.equal(error.reason, reason);
    if (message) assert.match(error.message, message);
    return true;
  });

/** A request as it is, for what our own client would not send. */
const raw = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
  ask(server.url + path, {
    method,
    headers: {
      authorization: `Bearer ${server.token}`,
      'content-type': 'application/json',
      'idempotency-key': newKey(),
      ...headers,
    },
    body: typeof body === 'string' || body === undefined ? body : JSON.stringify(body),
  });

describe('accounts', () => {
  test('an account is made for a reference, with an address for its collateral', async () => {
    const reference = randomUUID();
    const user = await issuer.createUser({ reference, idempotencyKey: newKey() });
    assert.equal(user.reference, reference);
    assert.match(user.id, /^ciu_[0-9a-f]{24}$/);
    assert.match(user.collateralAddress, /^0x[0-9a-f]{40}$/);
    assert.ok(Math.abs(Date.parse(user.createdAt) - Date.now()) < 10_000);
    const told = (await allEvents()).filter(({ data }) => data.id === user.id);
    assert.deepEqual(
      told.map(({ type, data }) => [type, data]),
      [['user.created', user]],
    );
  });

  test('the same key again has the same answer and changes nothing', async () => {
    const request = { reference: randomUUID(), idempotencyKey: newKey() };
    const answers = await Promise.all(Array.from({ length: 10 }, () => issuer.createUser(request)));
    for (const answer of answers) assert.deepEqual(answer, answers[0]);
    const told = (await allEvents()).filter(({ data }) => data.id === answers[0]!.id);
    assert.equal(told.length, 1);
  });

  test('key-reused: another request under the same key, on any path', async () => {
    const idempotencyKey = newKey();
    await issuer.createUser({ reference: 'one', idempotencyKey });
    await refused(issuer.createUser({ reference: 'two', idempotencyKey }), 'key-reused');
    const cardIssuerUserId = await makeAccount();
    await refused(issuer.createCards({ cardIssuerUserId, cards: [terms], idempotencyKey }), 'key-reused');
  });

  test('a body is the same whatever order its fields have', async () => {
    const headers = { 'idempotency-key': newKey() };
    const cardIssuerUserId = await makeAccount();
    const [a, b] = [
      `{"cardIssuerUserId":"${cardIssuerUserId}","kind":"collateral-deposit","amount":"1.00"}`,
      `{ "amount": "1.00", "kind": "collateral-deposit", "cardIssuerUserId": "${cardIssuerUserId}" }`,
    ];
    const first = await raw('POST', '/v1/simulations', a, headers);
    assert.equal(first.status, 200);
    assert.deepEqual((await raw('POST', '/v1/simulations', b, headers)).body, first.body);
  });
});

describe('cards', () => {
  test('a new card is inactive, version 1, and has the last four digits of a number that stays in the vault', async () => {
    const cardIssuerUserId = await makeAccount();
    const asked = [
      terms,
      { ...terms, nickname: null, spendingLimit: '0.00', spendingInterval: 'all-time' },
    ] as const;
    const cards = await issuer.createCards({ cardIssuerUserId, cards: asked, idempotencyKey: newKey() });
    assert.equal(cards.length, 2);
    for (const [at, card] of cards.entries()) {
      const { id, lastFourDigits, createdAt, updatedAt, ...rest } = card;
      assert.deepEqual(rest, { ...asked[at], cardIssuerUserId, version: 1, status: 'inactive' });
      assert.match(lastFourDigits, /^[0-9]{4}$/);
      assert.equal(createdAt, updatedAt);
      assert.deepEqual(await issuer.readCard(id), card);
    }
    assert.notEqual(cards[0]!.id, cards[1]!.id);
    const told = (await allEvents()).filter(({ data }) => cards.some(({ id }) => id === data.id));
    assert.deepEqual(
      told.map(({ type, data }) => [type, data]),
      cards.map((card) => ['card.changed', card]),
    );
    const numbers = await server.vaultNumbers();
    for (const { lastFourDigits } of cards) {
      assert.ok(numbers.some((number) => number.endsWith(lastFourDigits)));
    }
  });

  test('the same key again, ten times at once: the same cards, and no number more', async () => {
    const numbersBefore = (await server.vaultNumbers()).length;
    const request = {
      cardIssuerUserId: await makeAccount(),
      cards: [terms, terms],
      idempotencyKey: newKey(),
    };
    const answers = await Promise.all(Array.from({ length: 10 }, () => issuer.createCards(request)));
    for (const answer of answers) assert.deepEqual(answer, answers[0]);
    assert.equal((await server.vaultNumbers()).length, numbersBefore + 2);
  });

  test('all or none: one card that does not fit, or an account that is not there', async () => {
    const numbersBefore = (await server.vaultNumbers()).length;
    const eventsBefore = (await allEvents()).length;
    const cards = [terms, { ...terms, spendingLimit: '5' }];
    const idempotencyKey = newKey();
    const cardIssuerUserId = await makeAccount();
    await refused(
      issuer.createCards({ cardIssuerUserId, cards, idempotencyKey }),
      'refused',
      /cards\.1\.spendingLimit/,
    );
    await refused(
      issuer.createCards({ cardIssuerUserId: 'ciu_none', cards: [terms], idempotencyKey }),
      'not-found',
    );
    assert.equal((await server.vaultNumbers()).length, numbersBefore);
    assert.equal((await allEvents()).length, eventsBefore + 1, 'only the account');
    // A refusal is not kept: the key is still free.
    assert.equal((await issuer.createCards({ cardIssuerUserId, cards: [terms], idempotencyKey })).length, 1);
  });

  test('a card that is not there', async () => {
    assert.equal(await issuer.readCard('card_none'), undefined);
    await refused(
      issuer.updateCard({ cardId: 'card_none', status: 'active', idempotencyKey: newKey() }),
      'not-found',
    );
  });

  const legal = new Set([
    'inactive active',
    'inactive canceled',
    'active locked',
    'active canceled',
    'locked active',
    'locked canceled',
  ]);
  for (const from of cardStatuses) {
    for (const to of cardStatuses.filter((to) => to !== from)) {
      const isLegal = legal.has(`${from} ${to}`);
      test(`${isLegal ? 'moves' : 'refused'}: ${from} → ${to}`, async () => {
        const card = await makeCard({ status: from });
        const update = issuer.updateCard({
          cardId: card.id,
          status: to,
          reason: 'asked',
          idempotencyKey: newKey(),
        });
        if (!isLegal) {
          await refused(update, 'refused', /^A (canceled card|card that is) /);
          assert.deepEqual(await issuer.readCard(card.id), card);
          return;
        }
        const changed = await update;
        const { updatedAt } = changed;
        assert.deepEqual(changed, { ...card, status: to, version: card.version + 1, updatedAt });
        assert.ok(updatedAt >= card.updatedAt);
        assert.deepEqual(await issuer.readCard(card.id), changed);
      });
    }
  }

  test('every state has an event: versions from 1 without gaps, each with the whole card', async () => {
    const card = await makeCard({ status: 'locked' });
    await issuer.updateCard({
      cardId: card.id,
      nickname: null,
      spendingLimit: '1.00',
      idempotencyKey: newKey(),
    });
    await issuer.updateCard({ cardId: card.id, spendingInterval: 'daily', idempotencyKey: newKey() });
    const told = (await allEvents()).filter(({ data }) => data.id === card.id);
    const states = told.map(({ data }) => data as IssuerCard);
    assert.deepEqual(
      states.map(({ version, status, nickname, spendingLimit, spendingInterval }) => [
        version,
        status,
        nickname,
        spendingLimit,
        spendingInterval,
      ]),
      [
        [1, 'inactive', 'Groceries', '500.00', 'monthly'],
        [2, 'active', 'Groceries', '500.00', 'monthly'],
        [3, 'locked', 'Groceries', '500.00', 'monthly'],
        [4, 'locked', null, '1.00', 'monthly'],
        [5, 'locked', null, '1.00', 'daily'],
      ],
    );
    assert.deepEqual(await issuer.readCard(card.id), states.at(-1));
  });

  test('a change that is there already makes no new version, of a canceled card either', async () => {
    for (const status of cardStatuses) {
      const card = await makeCard({ status });
      const { nickname, spendingLimit } = card;
      const same = { cardId: card.id, status, nickname, spendingLimit, idempotencyKey: newKey() };
      assert.deepEqual(await issuer.updateCard(same), card);
    }
  });

  test('refused: a canceled card does not change, and a change without any', async () => {
    const canceled = await makeCard({ status: 'canceled' });
    for (const change of [
      { nickname: 'New' },
      { spendingLimit: '1.00' },
      { status: 'canceled', nickname: 'New' },
    ] as const) {
      await refused(
        issuer.updateCard({ cardId: canceled.id, ...change, idempotencyKey: newKey() }),
        'refused',
      );
    }
    const card = await makeCard();
    await refused(issuer.updateCard({ cardId: card.id, reason: 'why', idempotencyKey: newKey() }), 'refused');
  });
});

describe('payments', () => {
  test('an authorization takes from the collateral at once; a settlement takes no more', async () => {
    const card = await makeCard({ collateral: '100.00' });
    const { id: cardId, cardIssuerUserId } = card;
    const details = {
      description: 'Two rolls',
      merchantCategory: '5462',
      merchantCountry: 'BR',
      localAmount: '66.10',
      localCurrency: 'BRL',
    };
    const authorized = await buy(cardId, '12.30', details);
    const transaction = transactionOf(authorized);
    const { id, createdAt } = transaction;
    assert.deepEqual(transaction, {
      id,
      cardId,
      cardIssuerUserId,
      version: 1,
      type: 'purchase',
      status: 'pending',
      amount: '12.30',
      currency: 'USD',
      merchantName: 'Bakery',
      ...details,
      createdAt,
      authorizedAt: createdAt,
      settledAt: null,
      declineReason: null,
      updatedAt: createdAt,
    });
    const movement = movementOf(authorized)!;
    assert.deepEqual(movement, {
      id: movement.id,
      cardIssuerUserId,
      sequence: 2,
      action: 'purchase',
      type: 'debit',
      status: 'completed',
      amount: '12.30',
      previousBalance: '100.00',
      runningBalance: '87.70',
      description: 'Bakery',
      transactionId: id,
      reference: null,
      createdAt,
    });
    const settled = await issuer.simulate({ kind: 'settlement', transactionId: id });
    const { settledAt } = transactionOf(settled);
    assert.deepEqual(transactionOf(settled), {
      ...transaction,
      version: 2,
      status: 'settled',
      settledAt,
      updatedAt: settledAt,
    });
    assert.equal(settled.length, 1, 'no movement');
    await refused(issuer.simulate({ kind: 'settlement', transactionId: id }), 'refused');
  });

  test('a settlement of less gives the difference back, of nothing all of it; of more it is refused', async () => {
    const { id: cardId } = await makeCard({ collateral: '100.00' });
    const { id } = transactionOf(await buy(cardId, '40.00'));
    await refused(issuer.simulate({ kind: 'settlement', transactionId: id, amount: '40.01' }), 'refused');
    const settled = await issuer.simulate({ kind: 'settlement', transactionId: id, amount: '39.99' });
    const { status, amount, version } = transactionOf(settled);
    assert.deepEqual([status, amount, version], ['settled', '39.99', 2]);
    const back = movementOf(settled)!;
    assert.deepEqual(
      [back.action, back.type, back.amount, back.previousBalance, back.runningBalance, back.transactionId],
      ['adjustment', 'credit', '0.01', '60.00', '60.01', id],
    );
    const other = transactionOf(await buy(cardId, '60.01'));
    const reversed = await issuer.simulate({ kind: 'settlement', transactionId: other.id, amount: '0.00' });
    const { updatedAt } = transactionOf(reversed);
    assert.deepEqual(transactionOf(reversed), { ...other, version: 2, status: 'reversed', updatedAt });
    assert.deepEqual(
      [movementOf(reversed)!.amount, movementOf(reversed)!.runningBalance],
      ['60.01', '60.01'],
    );
  });

  test('a refund is a separate transaction and a credit; all refunds together are at most the purchase', async () => {
    const { id: cardId } = await makeCard({ collateral: '100.00' });
    const purchase = transactionOf(await buy(cardId, '30.00', { localAmount: '150', localCurrency: 'BRL' }));
    const refund = (amount?: string) =>
      issuer.simulate({ kind: 'refund', transactionId: purchase.id, amount });
    await refused(refund(), 'refused', /pending/);
    await issuer.simulate({ kind: 'settlement', transactionId: purchase.id });
    const first = await refund('10.00');
    const transaction = transactionOf(first);
    assert.notEqual(transaction.id, purchase.id);
    const { type, status, amount, version, localAmount, authorizedAt, settledAt } = transaction;
    assert.deepEqual(
      [type, status, amount, version, localAmount, authorizedAt, settledAt],
      ['refund', 'settled', '10.00', 1, null, null, transaction.createdAt],
    );
    const back = movementOf(first)!;
    assert.deepEqual(
      [back.action, back.type, back.amount, back.runningBalance, back.transactionId],
      ['refund', 'credit', '10.00', '80.00', transaction.id],
    );
    await refused(refund('20.01'), 'refused');
    assert.equal(transactionOf(await refund()).amount, '20.00');
    await refused(refund('0.01'), 'refused');
    await refused(refund(), 'refused');
    await refused(issuer.simulate({ kind: 'refund', transactionId: transaction.id }), 'not-found');
    await refused(issuer.simulate({ kind: 'settlement', transactionId: 'txn_none' }), 'not-found');
  });

  for (const status of ['inactive', 'locked', 'canceled'] as const) {
    test(`declined: the card is ${status}`, async () => {
      const { id } = await makeCard({ status, collateral: '100.00' });
      const events = await buy(id, '1.00');
      const { status: outcome, declineReason, authorizedAt } = transactionOf(events);
      assert.deepEqual([outcome, declineReason, authorizedAt], ['declined', `card-${status}`, null]);
      assert.equal(events.length, 1, 'no movement');
    });
  }

  test('declined: the collateral is short by a cent; the whole of it may be spent', async () => {
    const { id } = await makeCard({ collateral: '10.00' });
    assert.equal(transactionOf(await buy(id, '10.01')).declineReason, 'insufficient-collateral');
    assert.equal(movementOf(await buy(id, '10.00'))!.runningBalance, '0.00');
    assert.equal(transactionOf(await buy(id, '0.01')).declineReason, 'insufficient-collateral');
  });

  test('declined: because the test wants it, with its reason', async () => {
    const { id } = await makeCard({ collateral: '10.00' });
    const decline = (more: object) =>
      issuer.simulate({ kind: 'decline', cardId: id, amount: '1.00', merchantName: 'Bakery', ...more });
    assert.equal(transactionOf(await decline({})).declineReason, 'declined-by-merchant');
    const declined = transactionOf(await decline({ declineReason: 'wrong-code' }));
    assert.deepEqual([declined.status, declined.declineReason], ['declined', 'wrong-code']);
    await refused(issuer.simulate({ kind: 'settlement', transactionId: declined.id }), 'refused');
  });

  test('declined: above the limit of the running interval, by the calendar in UTC', async () => {
    const clocks = await startTestIssuer();
    const own = issuer;
    issuer = clocks.issuer;
    const goTo = (instant: string) => clocks.setClock(Date.parse(instant) - Date.now());
    const isDeclined = async (id: string, amount: string) =>
      transactionOf(await buy(id, amount)).declineReason === 'spending-limit-exceeded';
    try {
      for (const [interval, spentAt, stillAt, againAt] of [
        ['daily', '2031-03-14T00:00:05Z', '2031-03-14T23:45:00Z', '2031-03-15T00:00:05Z'],
        // A week begins on Monday: 9 March 2031 is a Sunday.
        ['weekly', '2031-03-10T00:00:05Z', '2031-03-16T23:45:00Z', '2031-03-17T00:00:05Z'],
        ['monthly', '2031-02-01T00:00:05Z', '2031-02-28T23:45:00Z', '2031-03-01T00:00:05Z'],
        ['yearly', '2031-01-01T00:00:05Z', '2031-12-31T23:45:00Z', '2032-01-01T00:00:05Z'],
        ['all-time', '2031-01-01T00:00:05Z', '2099-12-31T23:45:00Z', undefined],
      ] as const) {
        await goTo(spentAt);
        const { id } = await makeCard({
          spendingLimit: '50.00',
          spendingInterval: interval,
          collateral: '900.00',
        });
        const first = transactionOf(await buy(id, '30.00'));
        const lateMs = Date.parse(first.createdAt) - Date.parse(spentAt);
        assert.ok(lateMs >= 0 && lateMs < 10 * 60_000, `the clock was moved: ${first.createdAt}`);
        assert.equal(await isDeclined(id, '20.01'), true, interval);
        await goTo(stillAt);
        assert.equal(await isDeclined(id, '20.01'), true, `${interval}: still the same`);
        assert.equal(await isDeclined(id, '20.00'), false, `${interval}: what is left`);
        // What was not settled, and what was given back, can be spent again.
        await issuer.simulate({ kind: 'settlement', transactionId: first.id, amount: '29.00' });
        assert.equal(await isDeclined(id, '1.01'), true);
        await issuer.simulate({ kind: 'refund', transactionId: first.id, amount: '5.00' });
        assert.equal(await isDeclined(id, '6.01'), true);
        assert.equal(await isDeclined(id, '6.00'), false);
        if (againAt === undefined) continue;
        await goTo(againAt);
        assert.equal(await isDeclined(id, '50.01'), true);
        await issuer.simulate({ kind: 'refund', transactionId: first.id, amount: '1.00' });
        assert.equal(await isDeclined(id, '50.01'), true, 'a refund of before raises no limit');
        assert.equal(await isDeclined(id, '50.00'), false, `${interval}: a new one`);
      }
    } finally {
      issuer = own;
      await clocks.stop();
    }
  });

  test('of many authorizations at once, as many pass as the collateral covers', async () => {
    const { id, cardIssuerUserId } = await makeCard({ collateral: '10.00' });
    const outcomes = await Promise.all(Array.from({ length: 25 }, () => buy(id, '1.00')));
    assert.equal(outcomes.filter((events) => transactionOf(events).status === 'pending').length, 10);
    const movements = (await allEvents())
      .flatMap((event) => (event.type === 'movement.posted' ? [event.data] : []))
      .filter((movement) => movement.cardIssuerUserId === cardIssuerUserId);
    assert.deepEqual(
      movements.map(({ sequence }) => sequence),
      Array.from({ length: 11 }, (_, at) => at + 1),
    );
    for (const [at, { previousBalance }] of movements.entries()) {
      assert.equal(previousBalance, movements[at - 1]?.runningBalance ?? '0.00');
    }
  });
});

describe('deposits', () => {
  const transfer = async () => ({
    cardIssuerUserId: await makeAccount(),
    network: 'polygon',
    currency: 'USDC',
    amount: '25.009999',
    transactionHash: `0x${randomBytes(32).toString('hex')}`,
    logIndex: 4,
  });
  const movementsOf = async (account: string) =>
    (await allEvents()).flatMap((event) =>
      event.type === 'movement.posted' && event.data.cardIssuerUserId === account ? [event.data] : [],
    );

  test('a transfer is credited once, however often and under whatever key it is announced', async () => {
    const deposit = await transfer();
    await Promise.all(Array.from({ length: 5 }, () => issuer.announceDeposit(deposit)));
    const shouted = { ...deposit, transactionHash: deposit.transactionHash.toUpperCase().replace('X', 'x') };
    assert.equal((await raw('POST', '/v1/deposits', shouted)).status, 200);
    assert.equal((await raw('POST', '/v1/deposits', { ...deposit, amount: '999' })).status, 200);
    const movements = await movementsOf(deposit.cardIssuerUserId);
    assert.deepEqual(
      movements.map(({ action, type, amount, runningBalance, reference }) => [
        action,
        type,
        amount,
        runningBalance,
        reference,
      ]),
      [['deposit', 'credit', '25.00', '25.00', `${deposit.transactionHash}:4`]],
    );
    await issuer.announceDeposit({ ...deposit, logIndex: 5 });
    assert.equal((await movementsOf(deposit.cardIssuerUserId)).length, 2, 'another log is another transfer');
  });

  test('refused: another currency, less than a cent; not-found: another account', async () => {
    const deposit = await transfer();
    await refused(issuer.announceDeposit({ ...deposit, currency: 'EURC' }), 'refused', /USDC or USDT/);
    await refused(issuer.announceDeposit({ ...deposit, amount: '0.009' }), 'refused', /cent/);
    await refused(issuer.announceDeposit({ ...deposit, cardIssuerUserId: 'ciu_none' }), 'not-found');
    assert.deepEqual(await movementsOf(deposit.cardIssuerUserId), []);
    await issuer.announceDeposit({ ...deposit, currency: 'USDT' });
    assert.equal((await movementsOf(deposit.cardIssuerUserId)).length, 1);
  });

  test('refused: a balance of more digits than the protocol has, since nobody could read its event', async () => {
    const deposit = await transfer();
    const { cardIssuerUserId } = deposit;
    const pay = (amount: string) => issuer.simulate({ kind: 'collateral-deposit', cardIssuerUserId, amount });
    await pay('9999999999999.98');
    await refused(pay('9999999999999.99'), 'refused', /13 digits/);
    await refused(pay('0.02'), 'refused', /13 digits/);
    await refused(issuer.announceDeposit(deposit), 'refused', /13 digits/);
    await pay('0.01');
    assert.equal((await movementsOf(cardIssuerUserId)).at(-1)!.runningBalance, '9999999999999.99');
  });
});

describe('events', () => {
  test('are numbered from 1 without gaps, have unique ids, and come in pages of any size', async () => {
    const events = await allEvents();
    assert.ok(events.length > 50);
    assert.deepEqual(
      events.map(({ sequence }) => sequence),
      events.map((_, at) => BigInt(at + 1)),
    );
    assert.equal(new Set(events.map(({ id }) => id)).size, events.length);
    for (const [after, limit] of [
      [0n, 1],
      [3n, 7],
      [BigInt(events.length - 2), 100],
      [BigInt(events.length), 100],
      [10n ** 14n, 100],
    ] as const) {
      const page = await issuer.readEvents({ after, limit });
      assert.deepEqual(page, events.slice(Number(after), Number(after) + limit));
    }
  });

  test('400: an invalid limit or start', async () => {
    for (const query of [
      'limit=0',
      'limit=1001',
      'limit=x',
      'after=-1',
      'after=1.5',
      'after=',
      'limit=1e2',
    ]) {
      const { status, body } = await raw('GET', `/v1/events?${query}`);
      assert.deepEqual([status, body.error.reason], [400, 'invalid-request'], query);
    }
  });
});

describe('HTTP', () => {
  test('401 unauthorized: no token, another one, another scheme; before anything is read', async () => {
    for (const authorization of [
      '',
      'Bearer',
      `Bearer ${server.token}x`,
      server.token,
      `bearer ${server.token}`,
    ]) {
      for (const path of ['/v1/events', '/v1/nowhere']) {
        const { status, body } = await raw('GET', path, undefined, { authorization });
        assert.deepEqual([status, body.error.reason], [401, 'unauthorized'], authorization);
      }
    }
  });

  test('404 unknown-path: not the reason of a card that is not there', async () => {
    for (const [method, path] of [
      ['GET', '/'],
      ['GET', '/v1/cards'],
      ['GET', '/v1/cards/'],
      ['GET', '/v1/cards/card_1/reveal'],
      ['DELETE', '/v1/cards/card_1'],
      ['GET', '/v2/events'],
      ['GET', '//'],
    ] as const) {
      const { status, body } = await raw(method, path);
      assert.deepEqual([status, body.error.reason], [404, 'unknown-path'], `${method} ${path}`);
    }
    const { status, body } = await raw('GET', '/v1/cards/card_none');
    assert.deepEqual([status, body.error.reason], [404, 'not-found']);
  });

  test('400 invalid-request: a write without a key, or with an invalid one', async () => {
    const { url, token } = server;
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    for (const [path, method, body] of [
      ['users', 'POST', { reference: 'r' }],
      ['cards', 'POST', { cardIssuerUserId: 'ciu_none', cards: [terms] }],
      ['cards/card_none', 'PATCH', { status: 'active' }],
      ['simulations', 'POST', { kind: 'refund', transactionId: 'txn_none' }],
    ] as const) {
      const answer = await ask(`${url}/v1/${path}`, { method, headers, body: JSON.stringify(body) });
      assert.deepEqual([answer.status, answer.body.error.reason], [400, 'invalid-request'], path);
      assert.match(answer.body.error.message, /Idempotency-Key/);
    }
    for (const key of ['a b', 'k'.repeat(256)]) {
      assert.equal(
        (await raw('POST', '/v1/users', { reference: 'r' }, { 'idempotency-key': key })).status,
        400,
      );
    }
  });

  test('400 invalid-request: a body that is not as it must be, by its field', async () => {
    const purchase = { kind: 'authorization', cardId: 'card_1', amount: '1.00', merchantName: 'Bakery' };
    for (const [path, body, words] of [
      ['users', '', /JSON/],
      ['users', '{', /JSON/],
      ['users', '{"reference":"a","reference":"b"}', /twice/],
      ['users', {}, /form/],
      ['users', { reference: 1 }, /^reference/],
      ['users', { reference: 'r', more: 1 }, /form/],
      ['users', { reference: 'a\nb' }, /^reference/],
      ['users', { reference: 'r'.repeat(70_000) }, /too large/],
      ['cards', { cardIssuerUserId: 'ciu_1', cards: [] }, /^cards/],
      [
        'cards',
        { cardIssuerUserId: 'ciu_1', cards: [{ ...terms, spendingInterval: 'hourly' }] },
        /^cards\.0/,
      ],
      ['simulations', { ...purchase, kind: 'theft' }, /^kind/],
      ['simulations', { ...purchase, amount: '0.00' }, /^amount/],
      ['simulations', { ...purchase, amount: '-1.00' }, /^amount/],
      ['simulations', { ...purchase, amount: '1' }, /^amount/],
      ['simulations', { ...purchase, localAmount: '5' }, /localCurrency/],
      ['simulations', { kind: 'refund', transactionId: 'txn_1', amount: '0.00' }, /^amount/],
      ['deposits', { cardIssuerUserId: 'ciu_1' }, /form/],
      ['cards/card_1/reveal', { cardIssuerUserId: 'ciu_1' }, /form/],
      ['cards/card_1/reveal', { cardIssuerUserId: 'ciu_1', sessionId: 5 }, /^sessionId/],
    ] as const) {
      const answer = await raw('POST', `/v1/${path}`, body);
      assert.deepEqual(
        [answer.status, answer.body.error?.reason],
        [400, 'invalid-request'],
        JSON.stringify(body).slice(0, 80),
      );
      assert.match(answer.body.error.message, words);
    }
    const plain = await raw('POST', '/v1/users', '{"reference":"r"}', { 'content-type': 'text/plain' });
    assert.deepEqual([plain.status, plain.body.error.reason], [400, 'invalid-request']);
  });
});
