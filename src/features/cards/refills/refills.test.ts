import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { createHttpIssuer, type Issuer, noIssuer } from '#adapters/issuer';
import { type Ctx, contextFor } from '#context';
import { issueKey } from '#features/keys';
import { makeKey, makeUser } from '#test/data/factories';
import { lockRows } from '#test/database/lock-rows';
import { numberedEvents } from '#test/database/number-events';
import { makeCardOwner } from '#test/models/card-model';
import { startUnreliableProxy } from '#test/outside/unreliable-proxy';
import type { World } from '#test/worlds/payout';
import { type RefillWorld, useRefills } from '#test/worlds/refill';
import { listChanges } from '../../audit/list-changes.ts';
import { listLines } from '../../ledger/lines/list-lines.ts';
import { listUnsettled } from '../../ledger/unsettled/list-unsettled.ts';
import { listPartners } from '../../partners/list-partners.ts';
import { cancelWithdrawal } from '../../withdrawals/cancel-withdrawal.ts';
import { catchUp } from '../catch-up.ts';
import { createCards } from '../create-cards.ts';
import { openAccount } from '../open-account.ts';
import { updateCard } from '../update-card.ts';
import { followRefills } from './follow-refills.ts';
import {
  configureRefill,
  listRefills,
  openRefills,
  type RefillTerms,
  refillCommands,
  refillGauges,
  refillJobs,
} from './index.ts';
import { countUncredited } from './queries/lists.ts';
import { startRefills } from './start-refills.ts';

const { bank, minute, makeRefillWorld, expectRefilledOnce } = useRefills();

const house = '00000000-0000-7000-8000-000000000001';

test('a refill of a user whose ledger another session keeps locked does not hold up those of others', async (t) => {
  const world = await makeRefillWorld(t, {}, { databaseLockTimeoutMs: 2_000 });
  await world.withdraw();
  const { id: userId } = await makeUser(world.harness);
  const { id: cardIssuerUserId } = await openAccount(world.asOperator(), { userId });
  await world.configure({ cardIssuerUserId });
  const rows = 'select from ledger_lists where user_id = $1 and not is_settled for update';
  const lock = await lockRows(t, world.databaseUrl, rows, [world.userId]);
  await world.turn();
  const statuses = async () => {
    const refills = await world.db.query<{ userId: string; status: string }>(
      'select user_id as "userId", status from card_refills',
    );
    return Object.fromEntries(refills.map((refill) => [refill.userId, refill.status]));
  };
  assert.deepEqual(await statuses(), { [world.userId]: 'queued', [userId]: 'processing' });
  await lock.release();
  await world.turn();
  assert.deepEqual(await statuses(), { [world.userId]: 'processing', [userId]: 'processing' });
});

test('collateral under the threshold is refilled once: on chain, at the issuer, in the ledger and the history', async (t) => {
  const world = await makeRefillWorld(t);
  await world.turn();
  assert.deepEqual(await world.history(), [{ status: 'processing', retries: 0, transactionHash: null }]);
  const page = { userId: world.userId, currentPage: 0, pageSize: 10 };
  const { records } = await listUnsettled(world.asOperator(), page);
  assert.equal(records[0]!.description, 'Card refill of USDC on polygon');

  await world.pay();
  for (let turns = 0; turns < 3; turns++) await world.turn();
  await expectRefilledOnce(world);
  const { lines } = await listLines(world.asOperator(), { ...page, types: ['sell'] });
  assert.deepEqual(
    lines.map(({ description, amount, runningBalance }) => ({ description, amount, runningBalance })),
    [{ description: 'Card refill of USDC on polygon', amount: '50', runningBalance: '950' }],
  );
  const { refills, total } = await listRefills(world.asOperator(), page);
  assert.equal(total, 1);
  assert.deepEqual([refills[0]!.amountMinor, refills[0]!.error], [5000n, null]);
  assert.equal(refills[0]!.executedAt!.toISOString(), lines[0]!.executedAt);

  // There is enough until somebody pays by card.
  const { id: cardId } = await makeActiveCard(world);
  const buy = (amount: string) =>
    bank.issuer.simulate({ kind: 'authorization', cardId, amount, merchantName: 'Shop' });
  await buy('30.00');
  for (let turns = 0; turns < 2; turns++) await world.turn();
  assert.equal((await world.history()).length, 1);
  await buy('0.01');
  await world.refill();
  assert.deepEqual(
    (await world.history()).map(({ status }) => status),
    ['completed', 'completed'],
  );
  assert.equal((await world.received()).length, 2);
  assert.equal((await world.credited()).length, 2);
  const events = await numberedEvents(world.harness, 'card_refill.');
  assert.deepEqual(
    events.map(({ type, data }) => [type, data.object.status, data.object.transactionHash]),
    (await world.history())
      .toReversed()
      .map(({ status, transactionHash }) => ['card_refill.completed', status, transactionHash]),
  );
  assert.deepEqual(await numberedEvents(world.harness, 'withdrawal.'), [], 'the house has no feed');
});

async function makeActiveCard({ asOperator, userId, account: { id: cardIssuerUserId } }: RefillWorld) {
  const terms = { spendingLimit: '1000', cardIssuerUserId };
  const { cards } = await createCards(asOperator(), { userId, cards: [terms] });
  const change = { userId, cardIssuerUserId, cardId: cards[0]!.id, status: 'active' as const };
  return (await updateCard(asOperator(), change)).card;
}

test('a pair that is no longer paid fails the refill, and the account rests', async (t) => {
  const world = await makeRefillWorld(t, { currency: 'USDT' });
  const tokens = world.settings.tokens.filter(({ symbol }) => symbol !== 'USDT');
  for (let turns = 0; turns < 2; turns++) await world.turn(bank.issuer, world.makeWorker({ tokens }));
  const page = { userId: world.userId, currentPage: 0, pageSize: 9 };
  const { refills } = await listRefills(world.asOperator(), page);
  assert.deepEqual(
    refills.map(({ status, error }) => ({ status, error })),
    [{ status: 'failed', error: 'USDT on polygon is not paid here' }],
  );
});

test('a balance that does not reach is tried again, later each time, until the refill fails; then the account rests', async (t) => {
  const world = await makeRefillWorld(t, { amount: '1000.01' });
  const waits = [1, 5, 30, 120, 360];
  for (const [retries, minutes] of waits.entries()) {
    await world.turn();
    assert.deepEqual(await world.history(), [{ status: 'processing', retries, transactionHash: null }]);
    await world.worker.hold();
    await world.turn();
    const waiting = [{ status: 'queued', retries: retries + 1, transactionHash: null }];
    assert.deepEqual(await world.history(), waiting);
    world.advance(minutes * minute - 5_000);
    await world.turn();
    assert.deepEqual(await world.history(), waiting, `tried again before ${minutes} minutes`);
    world.advance(5_000);
  }
  await world.turn();
  await world.worker.hold();
  await world.turn();
  assert.deepEqual(await world.history(), [{ status: 'failed', retries: 5, transactionHash: null }]);
  const { refills } = await listRefills(world.asOperator(), {
    userId: world.userId,
    currentPage: 0,
    pageSize: 1,
  });
  assert.deepEqual([refills[0]!.error, refills[0]!.executedAt], ['Insufficient balance', null]);
  assert.equal((await world.db.query('select 1 from withdrawals')).length, 6);

  world.advance(360 * minute - 5_000);
  await world.turn();
  assert.equal((await world.history()).length, 1, 'the account rests');
  world.advance(5_000);
  await world.turn();
  assert.equal((await world.history()).length, 2);
  assert.deepEqual(await world.received(), []);
  assert.deepEqual(await world.funds(), { balance: 1_000_000_000n, held: 0n });
});

test('a changed rule is tried at once, though the last refill has failed', async (t) => {
  const world = await makeRefillWorld(t, { amount: '2000' });
  await world.turn();
  const [{ id }] = (await world.db.query<{ id: string }>('select id from withdrawals')) as [{ id: string }];
  await cancelWithdrawal(world.asOperator(), { withdrawalId: id, reason: 'not this one' });
  await world.turn();
  const { refills } = await listRefills(world.asOperator(), {
    userId: world.userId,
    currentPage: 0,
    pageSize: 1,
  });
  assert.deepEqual(
    [refills[0]!.status, refills[0]!.retries, refills[0]!.error],
    ['failed', 0, 'Canceled: not this one'],
    'what a person stopped is not tried again at once',
  );
  await world.turn();
  assert.equal((await world.history()).length, 1);
  await world.configure({ amount: '50' });
  await world.refill();
  assert.deepEqual(
    (await world.history()).map(({ status }) => status),
    ['completed', 'failed'],
  );
});

test('workers that do the same at once pay once', async (t) => {
  const world = await makeRefillWorld(t);
  const others = [world.worker, world.makeWorker(), world.makeWorker(), world.makeWorker()];
  const contexts = () =>
    others.map(({ deps }) => {
      const own = { ...deps, issuer: bank.issuer };
      return contextFor(own, { kind: 'worker', job: 'cards.refill' } as const, own.log);
    });
  while ((await catchUp(world.asOperator())).isBehind);
  for (let round = 0; round < 3; round++) {
    const opened = await Promise.all(contexts().map((ctx) => openRefills(ctx)));
    assert.equal(
      opened.reduce((sum, one) => sum + one, 0),
      round === 0 ? 1 : 0,
    );
    const started = await Promise.all(contexts().map((ctx) => startRefills(ctx)));
    assert.equal(
      started.reduce((sum, one) => sum + one, 0),
      round === 0 ? 1 : 0,
    );
  }
  await world.pay();
  const moved = await Promise.all(contexts().map((ctx) => followRefills(ctx)));
  assert.equal(
    moved.reduce((sum, one) => sum + one, 0),
    1,
  );
  await expectRefilledOnce(world);
});

test('a refill opened from an old snapshot, with a newer one stored, is refused', async (t) => {
  const world = await makeRefillWorld(t);
  await world.turn();
  await assert.rejects(
    world.db.query(
      `insert into card_refills (card_issuer_user_id, user_id, number, amount, network, currency, due_at, created_at, updated_at)
       select card_issuer_user_id, user_id, number, amount, network, currency, now(), now(), now() from card_refills`,
    ),
    /card_refills_number_key/,
  );
  await assert.rejects(
    world.db.query(
      `insert into card_refills (card_issuer_user_id, user_id, number, amount, network, currency, due_at, created_at, updated_at)
       select card_issuer_user_id, user_id, number + 1, amount, network, currency, now(), now(), now() from card_refills`,
    ),
    /card_refills_one_open/,
  );
});

test('a payment is announced again to an issuer that was away, and nothing is paid again', async (t) => {
  const world = await makeRefillWorld(t);
  await world.turn();
  await world.pay();
  const proxy = await startUnreliableProxy(bank.url);
  t.after(() => proxy.stop());
  const through = createHttpIssuer({ url: proxy.url, token: bank.token, timeoutMs: 60_000 });
  for (const passage of ['request lost', 'answer lost'] as const) {
    proxy.passage = (request) => (request.includes('deposits') ? passage : 'whole');
    await world.turn(through);
    const [row] = await world.db.query('select status, retries, error from card_refills');
    assert.deepEqual(row, {
      status: 'processing',
      retries: 0,
      error: 'Paid; the card issuer does not answer',
    });
    assert.match(JSON.stringify(await readGauge(world, 'causeway_cards_refills_unreported')), /"value":1/);
    world.advance(11_000);
  }
  assert.equal((await world.credited()).length, 1, 'the answer was lost, not the request');
  proxy.passage = () => 'whole';
  await world.turn(through);
  await world.turn(through);
  await expectRefilledOnce(world);
});

test('a payment that the issuer refuses to credit waits for a person and is not made again', async (t) => {
  const world = await makeRefillWorld(t, { enabled: false });
  // The issuer does not know this account.
  const { cardIssuerUserId, userId } = await makeCardOwner(world.harness, { userId: world.userId });
  await world.configure({ cardIssuerUserId });
  await world.configure({ cardIssuerUserId, enabled: true });
  await world.turn();
  await world.pay();
  for (let turns = 0; turns < 3; turns++) {
    await world.turn();
    world.advance(6 * minute);
  }
  const [refill] = (await listRefills(world.asOperator(), { userId, currentPage: 0, pageSize: 9 })).refills;
  assert.equal(refill!.status, 'processing');
  assert.match(refill!.error!, /^Paid; the card issuer says: /);
  assert.equal((await world.paid()).length, 1);
});

test('after a payment the next refill waits for the issuer to tell of it, or for an operator who knows', async (t) => {
  const world = await makeRefillWorld(t, { threshold: '60' });
  const { deps } = world.worker;
  const job = (issuer: Issuer) => refillJobs[0]!.run({ ...deps, issuer });
  await world.turn();
  await world.pay();
  for (let turns = 0; turns < 3; turns++) await job(bank.issuer);
  assert.deepEqual(
    (await world.history()).map(({ status }) => status),
    ['completed'],
  );
  // The credit is known, and 50 dollars are still less than 60.
  await world.turn();
  await world.pay();
  // From here on the issuer accepts announcements and sends no events.
  const silent: Issuer = { ...bank.issuer, readEvents: async () => [] };
  await job(silent);
  const uncredited = () => readUncredited(world);
  // A change of the rule before it is overdue is not about it.
  await world.configure({ threshold: '61' });
  world.advance(15 * minute - 5_000);
  assert.deepEqual(await uncredited(), 0);
  for (const ms of [5_000, 15 * minute, 10_000 * minute]) {
    world.advance(ms);
    await job(silent);
    assert.deepEqual(
      (await world.history()).map(({ status }) => status),
      ['completed', 'completed'],
    );
    assert.deepEqual(await uncredited(), 1);
  }
  await world.configure({ threshold: '61' });
  await job(silent);
  assert.equal((await world.history()).length, 2, 'the same rule again is no change');
  await world.configure({ threshold: '61', enabled: false });
  await world.configure({ threshold: '61' });
  for (let turns = 0; turns < 2; turns++) await job(silent);
  assert.equal((await world.history()).length, 3);
  assert.equal((await world.received()).length, 2);
  assert.deepEqual(await uncredited(), 0, 'somebody has seen to it');
});

test('a payment that is credited late is not overdue any more, and the next fall is refilled', async (t) => {
  const world = await makeRefillWorld(t, { threshold: '60' });
  await world.turn();
  await world.pay();
  const silent: Issuer = { ...bank.issuer, readEvents: async () => [] };
  await refillJobs[0]!.run({ ...world.worker.deps, issuer: silent });
  world.advance(60 * minute);
  await refillJobs[0]!.run({ ...world.worker.deps, issuer: silent });
  assert.equal((await world.history()).length, 1);
  await world.refill();
  assert.deepEqual(
    (await world.history()).map(({ status }) => status),
    ['completed', 'completed'],
  );
  assert.equal(await readUncredited(world), 0);
});

test('what is known of collateral is not acted upon while older events are unread', async (t) => {
  const world = await makeRefillWorld(t);
  world.advance(2 * minute);
  const deps = { ...world.worker.deps, issuer: bank.issuer };
  await refillJobs[0]!.run(deps);
  assert.deepEqual(await world.history(), [], 'nothing was read yet');
  await refillJobs[0]!.run({
    ...deps,
    issuer: createHttpIssuer({ url: 'http://127.0.0.1:1', token: 'none' }),
  });
  assert.deepEqual(await world.history(), [], 'nobody can say whether there is more');
  assert.equal(refillJobs[0]!.isConfigured!({ ...deps, issuer: noIssuer }), false, 'there is no issuer');
  await world.turn();
  assert.equal((await world.history()).length, 1);
});

test('the database refuses what a refill must not do', async (t) => {
  const world = await makeRefillWorld(t);
  const refuse = (sql: string, message: RegExp) => assert.rejects(world.db.query(sql), message);
  const set = (what: string) => `update card_refills set ${what}`;
  while ((await catchUp(world.asOperator())).isBehind);
  await openRefills(world.asOperator());
  const theirs = await world.withdraw({ amount: '50', to: world.account.collateralAddress });
  const onChain = `transaction_hash = '0x${'1'.repeat(64)}', log_index = 0, executed_at = now()`;
  await refuse(set(`status = 'completed', ${onChain}`), /does not move from queued to completed/);
  await refuse(set(`status = 'processing', withdrawal_id = '${theirs}'`), /by the withdrawal of its attempt/);
  await refuse(set(`status = 'processing'`), /by the withdrawal of its attempt/);
  await refuse(set('retries = 1'), /a retry is counted/);
  await refuse(set(`withdrawal_id = '${theirs}'`), /keeps its payment/);
  await refuse(set('amount = 1'), /cannot change/);
  await refuse('delete from card_refills', /append-only/);
  await refuse('truncate card_refills', /append-only/);

  await world.turn();
  await refuse(set(`status = 'queued', retries = 1`), /when its payment has failed/);
  await refuse(set(`status = 'failed', error = 'x'`), /when its payment has failed/);
  await refuse(set(`status = 'completed', ${onChain}`), /by a completed payment/);
  await refuse(set(`withdrawal_id = '${theirs}'`), /keeps its payment/);
  await world.pay();
  await refuse(set(`status = 'queued', retries = 1`), /when its payment has failed/);
  await refuse(set(`status = 'completed', ${onChain}`), /by a completed payment/);
  await world.turn();
  await refuse(set(`status = 'queued', retries = 1`), /is final/);
  await refuse(set(`error = 'x'`), /is final/);
  const fields =
    'card_issuer_user_id, user_id, number, amount, network, currency, due_at, created_at, updated_at';
  await refuse(
    `insert into card_refills (${fields}, retries) select card_issuer_user_id, user_id, 2, 1, network, currency, now(), now(),
       now(), 1 from card_refills`,
    /begins as queued/,
  );
});

test('nobody acts as the house, whose withdrawals no partner sees', async (t) => {
  const world = await makeRefillWorld(t);
  await world.turn();
  const ctx = world.asOperator();
  const { id: userId } = await makeUser(world.harness);
  await assert.rejects(issueKey(ctx, { name: 'mine', partnerId: house, userId }), { status: 404 });
  const key = await makeKey(world.harness, { userId: world.userId });
  await assert.rejects(
    world.db.query('update api_keys set partner_id = $1 where id = $2', [house, key.id]),
    /the house partner cannot have API keys/,
  );
  const { items } = await listPartners(ctx, {});
  assert.ok(items.length > 0 && items.every(({ id }) => id !== house));
  const [row] = await world.db.query('select partner_id as "partnerId", key_id as "keyId" from withdrawals');
  assert.deepEqual(row, { partnerId: house, keyId: 'cards.refill' });
});

test('a rule is checked, audited when it changes, and of an account that there is', async (t) => {
  const world = await makeRefillWorld(t);
  const ctx = world.asOperator();
  const refused = (terms: Partial<RefillTerms>, message: RegExp) =>
    assert.rejects(world.configure(terms), (error: Error & { status: number }) => {
      assert.match(error.message, message);
      return error.status === 400;
    });
  await refused({ threshold: '0' }, /threshold must be above 0/);
  await refused({ amount: '0.00' }, /amount must be above 0/);
  await refused({ amount: '0.99', threshold: '1' }, /amount must be at least 1.00/);
  await refused({ amount: '9.99', threshold: '100' }, /amount must be at least a tenth of the threshold/);
  await refused({ amount: '1.001' }, /amount must be a decimal string/);
  await refused({ network: 'solana' }, /network must be one of polygon/);
  await refused({ currency: 'EURC' }, /currency must be one of USDC, USDT on polygon/);
  await assert.rejects(world.configure({ cardIssuerUserId: 'nobody' }), { status: 404 });
  const stranger = { ...ctx, actor: { kind: 'key', userId: randomUUID() } } as unknown as Ctx;
  await assert.rejects(
    configureRefill(stranger, {
      cardIssuerUserId: world.account.id,
      threshold: '1',
      amount: '1',
      network: 'polygon',
      currency: 'USDC',
      enabled: true,
    }),
    { status: 404 },
  );
  await world.configure();
  await world.configure({ threshold: '30.5', currency: 'USDT' });
  const { items } = await listChanges(ctx, { subject: `account:${world.account.id}` });
  const terms = { cardIssuerUserId: world.account.id, amount: '50.00', network: 'polygon', enabled: true };
  assert.deepEqual(
    items.map(({ action, before, after }) => ({ action, before, after })).reverse(),
    [
      { before: null, after: { ...terms, threshold: '20.00', currency: 'USDC' } },
      {
        before: { ...terms, threshold: '20.00', currency: 'USDC' },
        after: { ...terms, threshold: '30.50', currency: 'USDT' },
      },
    ].map((change) => ({ action: 'cards.configure-refill', ...change })),
  );
});

test('refills are listed newest first, page by page, with their exact number; operators see those of all users', async (t) => {
  const world = await makeRefillWorld(t);
  for (let refills = 1; refills <= 5; refills++) {
    await world.configure({ amount: `${refills}`, threshold: `${refills * 10}` });
    await world.turn();
    if (refills === 5) break;
    await world.pay();
    await world.turn();
  }
  const list = (currentPage: number, userId = world.userId) =>
    listRefills(world.asOperator(), { userId, currentPage, pageSize: 2 });
  const amounts = async (page: number) => (await list(page)).refills.map(({ amountMinor }) => amountMinor);
  assert.deepEqual(await amounts(0), [500n, 400n]);
  assert.deepEqual(await amounts(1), [300n, 200n]);
  assert.deepEqual(await amounts(2), [100n]);
  assert.deepEqual(await list(3), { total: 5, refills: [] });
  assert.deepEqual(await list(0, randomUUID()), { total: 0, refills: [] });

  const run = (name: string, input: object) =>
    refillCommands.find((command) => command.name === name)!.run(world.asOperator(), input as never);
  const first = (await run('cards.refills', { limit: 3 })) as {
    items: { amount: string; status: string }[];
    nextCursor: string;
  };
  assert.deepEqual(
    first.items.map(({ amount }) => amount),
    ['1.00', '2.00', '3.00'],
  );
  const { items, nextCursor } = (await run('cards.refills', {
    limit: 3,
    cursor: first.nextCursor,
  })) as typeof first;
  assert.deepEqual(
    [items.map(({ amount, status }) => `${amount} ${status}`), nextCursor],
    [['4.00 completed', '5.00 processing'], null],
  );
  const open = (await run('cards.refills', { status: 'processing', userId: world.userId })) as typeof first;
  assert.equal(open.items.length, 1);
  const rules = (await run('cards.refill-rules', {})) as { items: { amount: string }[] };
  assert.deepEqual(
    rules.items.map(({ amount }) => amount),
    ['5.00'],
  );
  assert.deepEqual(await readGauge(world, 'causeway_cards_refills_open'), [
    { labels: { status: 'processing' }, value: 1 },
  ]);
});

/** As its gauge reads it in the background. */
const readUncredited = ({ db, worker }: World) => countUncredited(db, worker.deps.clock());

const readGauge = (world: World, name: string) =>
  refillGauges.find((gauge) => gauge.name === name)!.read({ ...world.worker.deps, issuer: bank.issuer });
