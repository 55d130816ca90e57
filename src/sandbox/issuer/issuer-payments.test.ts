import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, test } from 'node:test';
import type { IssuerEvent, IssuerMovement, IssuerTransaction, Simulation } from '#adapters/issuer';
import { startTestIssuer } from '#test/outside/issuer';
import { refused, useIssuerAccounts } from '#test/outside/issuer-accounts';

const { issuer, makeAccount, makeCard, allEvents, raw } = await useIssuerAccounts();

const buy = (cardId: string, amount: string, more: Partial<Simulation> = {}) =>
  issuer.simulate({ kind: 'authorization', cardId, amount, merchantName: 'Bakery', ...more } as Simulation);
const transactionOf = (events: IssuerEvent[]) =>
  events.find((event) => event.type === 'transaction.changed')!.data as IssuerTransaction;
const movementOf = (events: IssuerEvent[]) =>
  events.find((event) => event.type === 'movement.posted')?.data as IssuerMovement | undefined;

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
    const own = { ...issuer };
    Object.assign(issuer, clocks.issuer);
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
      Object.assign(issuer, own);
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
