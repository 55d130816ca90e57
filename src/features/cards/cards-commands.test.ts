import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, beforeEach, test } from 'node:test';
import { checksumAddress } from '#adapters/evm';
import { createHttpIssuer, noIssuer } from '#adapters/issuer';
import { createLog } from '#platform/observe/log';
import { makeUser } from '#test/data/factories';
import { useHarness } from '#test/harness';
import { startTestIssuer } from '#test/outside/issuer';
import { startUnreliableProxy } from '#test/outside/unreliable-proxy';
import { cardJobs } from './jobs.ts';

const sandbox = await startTestIssuer();
after(() => sandbox.stop());
const proxy = await startUnreliableProxy(sandbox.url);
after(() => proxy.stop());
const issuer = createHttpIssuer({ url: proxy.url, token: sandbox.token, timeoutMs: 60_000 });
const harness = useHarness({ issuer });

let userId: string;
beforeEach(async () => {
  userId = (await makeUser(harness)).id;
  proxy.passage = () => 'whole';
});

const sql = (text: string, values?: unknown[]) => harness.deps.db.query(text, values);

/** What a command answers; refused ones fail the test. */
async function run(command: string, input: object = {}) {
  const { status, body } = await harness.operator(`cards.${command}`, input);
  assert.equal(status, 200, JSON.stringify(body));
  return body.data;
}

async function refuse(
  command: string,
  input: object = {},
): Promise<{ status: number; code: string; error: string }> {
  const { status, body } = await harness.operator(`cards.${command}`, input);
  assert.notEqual(status, 200);
  return { status, code: body.code, error: body.error };
}

const makeCard = async (fields: object = {}) =>
  (await run('create', { userId, cards: [{ spendingLimit: '500', ...fields }] })).cards[0];

/** Active, with collateral. */
async function makeFundedCard(collateral = '300') {
  const card = await makeCard();
  await run('update', { cardId: card.id, status: 'active' });
  const { cardIssuerUserId } = card;
  await run('simulate-collateral-deposit', { cardIssuerUserId, amount: collateral });
  return card;
}

test('200 cards.create and cards.show: the card, its states, its account', async () => {
  const { cards, replayed } = await run('create', {
    userId: userId.toUpperCase(),
    cards: [{ nickname: 'Fuel', spendingLimit: '99.9', spendingInterval: 'weekly' }],
    idempotencyKey: 'k',
  });
  assert.equal(replayed, false);
  const [card] = cards;
  assert.match(card.lastFourDigits, /^[0-9]{4}$/);
  const { id, cardIssuerUserId, lastFourDigits, createdAt, updatedAt, ...rest } = card;
  assert.deepEqual(rest, {
    userId,
    name: 'Test Person',
    nickname: 'Fuel',
    status: 'inactive',
    version: 1,
    spendingLimit: '99.90',
    spendingInterval: 'weekly',
  });
  await run('update', { cardId: id, status: 'active', reason: 'as asked' });
  const shown = await run('show', { cardId: id });
  assert.equal(shown.status, 'active');
  assert.deepEqual(
    shown.versions.map(({ version, status, spendingLimit }: Record<string, unknown>) => [
      version,
      status,
      spendingLimit,
    ]),
    [
      [2, 'active', '99.90'],
      [1, 'inactive', '99.90'],
    ],
  );
  assert.equal(shown.versions[1].validAt, createdAt);
  const { collateralAddress, ...account } = shown.account;
  assert.equal(checksumAddress(collateralAddress.toLowerCase()), collateralAddress);
  assert.deepEqual(account, {
    cardIssuerUserId,
    userId,
    collateral: '0.00',
    createdAt: account.createdAt,
  });
  assert.equal(shown.recentTransactions, 0);
});

test('200 cards.list: by user and status, page by page', async () => {
  const made: string[] = [];
  for (let card = 0; card < 5; card++) made.push((await makeCard()).id);
  await run('update', { cardId: made[0]!, status: 'canceled' });
  const seen: string[] = [];
  let cursor: string | undefined;
  do {
    const page: { items: { id: string }[]; nextCursor: string | null } = await run('list', {
      userId,
      limit: 2,
      ...(cursor && { cursor }),
    });
    seen.push(...page.items.map(({ id }) => id));
    cursor = page.nextCursor ?? undefined;
  } while (cursor);
  assert.deepEqual(seen.toSorted(), made.toSorted());
  const { items } = await run('list', { userId, status: 'canceled' });
  assert.deepEqual(
    items.map(({ id }: { id: string }) => id),
    [made[0]],
  );
  const { nextCursor } = await run('list', { userId, limit: 2 });
  assert.equal((await refuse('list', { limit: 2, cursor: nextCursor })).status, 400, 'another list’s cursor');
});

test('200 a payment’s life: authorized, settled in part, refunded, with the collateral after each', async () => {
  const { id: cardId, cardIssuerUserId } = await makeFundedCard('300');
  const { transaction, movement, account } = await run('simulate-authorization', {
    cardId,
    amount: '120.5',
    merchantName: 'Café São Jorge',
    description: 'Table 4',
    merchantCategory: 'Restaurants',
    merchantCountry: 'PT',
    localAmount: '110',
    localCurrency: 'EUR',
  });
  assert.deepEqual(
    [transaction.status, transaction.amount, movement.type, movement.amount, account.collateral],
    ['pending', '120.50', 'debit', '120.50', '179.50'],
  );
  const { id: transactionId } = transaction;
  const settled = await run('simulate-settlement', { transactionId, amount: '100' });
  assert.deepEqual(
    [settled.transaction.status, settled.transaction.amount, settled.account.collateral],
    ['settled', '100.00', '200.00'],
  );
  const refunded = await run('simulate-refund', { transactionId, amount: '30' });
  assert.deepEqual(
    [refunded.transaction.type, refunded.movement.action, refunded.account.collateral],
    ['refund', 'refund', '230.00'],
  );
  const rows = await sql(
    'select id, status, amount, version from card_transactions where card_id = $1 order by created_at',
    [cardId],
  );
  assert.deepEqual(
    rows.map(({ status, amount, version }) => [status, amount, version]),
    [
      ['settled', 10_000n, 2],
      ['settled', 3_000n, 1],
    ],
  );
  assert.equal((await run('show', { cardId })).recentTransactions, 2);
  const moves = await sql(
    'select running_balance from card_movements where card_issuer_user_id = $1 order by sequence',
    [cardIssuerUserId],
  );
  assert.deepEqual(
    moves.map(({ running_balance }) => running_balance),
    [30_000n, 17_950n, 20_000n, 23_000n],
  );
});

test('200 a declined payment takes nothing, and says why', async () => {
  const { id: cardId } = await makeFundedCard('50');
  const declined = await run('simulate-decline', {
    cardId,
    amount: '5',
    merchantName: 'Kiosk',
    declineReason: 'suspected fraud',
  });
  assert.deepEqual(
    [
      declined.transaction.status,
      declined.transaction.declineReason,
      declined.movement,
      declined.account.collateral,
    ],
    ['declined', 'suspected fraud', null, '50.00'],
  );
  const tooMuch = await run('simulate-authorization', { cardId, amount: '51', merchantName: 'Kiosk' });
  assert.deepEqual(
    [tooMuch.transaction.status, tooMuch.transaction.declineReason],
    ['declined', 'insufficient-collateral'],
  );
});

test('409 and 404 what cannot be simulated, and 400 invalid amounts', async () => {
  const { id: cardId, cardIssuerUserId } = await makeFundedCard();
  const merchantName = 'Kiosk';
  const { transaction } = await run('simulate-authorization', { cardId, amount: '5', merchantName });
  const transactionId = transaction.id;
  const refund = await refuse('simulate-refund', { transactionId });
  assert.deepEqual([refund.status, refund.code], [409, 'issuer_refused']);
  assert.equal(refund.error, 'The card issuer refused: A transaction that is pending cannot be refunded.');
  for (const [command, input, code] of [
    ['simulate-authorization', { cardId: 'crd_nobody', amount: '1', merchantName }, 'card_not_found'],
    ['simulate-settlement', { transactionId: 'txn_nobody' }, 'card_transaction_not_found'],
    [
      'simulate-collateral-deposit',
      { cardIssuerUserId: 'ciu_nobody', amount: '1' },
      'card_account_not_found',
    ],
    ['simulate-authorization', { cardId, amount: '0', merchantName }, 'invalid_request'],
    ['simulate-authorization', { cardId, amount: '1.234', merchantName }, 'invalid_request'],
    ['simulate-collateral-deposit', { cardIssuerUserId, amount: '-1' }, 'invalid_request'],
    ['show', { cardId: 'crd_nobody' }, 'card_not_found'],
    ['update', { cardId: 'crd_nobody', status: 'active' }, 'card_not_found'],
    ['update', { cardId }, 'invalid_request'],
    ['create', { userId, cards: [] }, 'invalid_request'],
    ['create', { userId, cards: Array(11).fill({ spendingLimit: '1' }) }, 'invalid_request'],
    ['create', { userId, cards: [{ spendingLimit: 1 }] }, 'invalid_request'],
    ['create', { userId, cards: [{ spendingLimit: '1', pan: '4242' }] }, 'invalid_request'],
    ['create', { userId, cards: [{ spendingLimit: '1', nickname: 'a\u0007' }] }, 'invalid_request'],
    ['create', { userId: randomUUID(), cards: [{ spendingLimit: '1' }] }, 'user_not_found'],
    ['open-account', { userId: randomUUID() }, 'user_not_found'],
  ] as const) {
    assert.equal((await refuse(command, input)).code, code, `${command} ${JSON.stringify(input)}`);
  }
  const settled = await run('simulate-settlement', { transactionId, amount: '0' });
  assert.equal(settled.transaction.status, 'reversed');
  assert.equal(settled.account.collateral, '300.00');
});

test('200 cards.open-account: one under one key, and cards may be made in it', async () => {
  const [one, again, other] = [
    await run('open-account', { userId, idempotencyKey: 'one' }),
    await run('open-account', { userId, idempotencyKey: 'one' }),
    await run('open-account', { userId }),
  ];
  assert.equal(one.cardIssuerUserId, again.cardIssuerUserId);
  assert.notEqual(one.cardIssuerUserId, other.cardIssuerUserId);
  const card = await makeCard({ cardIssuerUserId: other.cardIssuerUserId });
  assert.equal(card.cardIssuerUserId, other.cardIssuerUserId);
});

test('200 cards.catch-up reads events without a webhook; 503 if the issuer does not answer', async () => {
  while ((await run('catch-up')).isBehind);
  const { id: cardIssuerUserId } = await sandbox.issuer.createUser({
    reference: userId,
    idempotencyKey: randomUUID(),
  });
  await sandbox.issuer.simulate({ kind: 'collateral-deposit', cardIssuerUserId, amount: '7.00' });
  await sandbox.issuer.createUser({ reference: 'somebody else', idempotencyKey: randomUUID() });
  const { read, skipped, missingSequence, isBehind } = await run('catch-up');
  assert.deepEqual(
    { read, skipped, missingSequence, isBehind },
    {
      read: 3,
      skipped: 1,
      missingSequence: null,
      isBehind: false,
    },
  );
  const [account] = await sql('select collateral from card_issuer_users where id = $1', [cardIssuerUserId]);
  assert.equal(account!.collateral, 700n);
  const metrics = (await harness.request('GET', '/metrics')).body as string;
  assert.match(metrics, /^causeway_cards_events_skipped_total 1$/m);
  assert.match(metrics, /^causeway_cards_events_missing 0$/m);
  assert.match(metrics, /^causeway_cards_events_read_age_seconds [0-9.e-]+$/m);

  proxy.passage = () => 'request lost';
  const away = await refuse('catch-up');
  assert.deepEqual([away.status, away.code], [503, 'issuer_unavailable']);
});

test('the worker reads the events, logs once that the issuer is away and once that it is back', async () => {
  const lines: { msg: string }[] = [];
  const log = createLog({ level: 'info', destination: { write: (line) => lines.push(JSON.parse(line)) } });
  const [job] = cardJobs;
  const deps = { ...harness.deps, log };
  await job!.run(deps);
  await sandbox.issuer.createUser({ reference: userId, idempotencyKey: randomUUID() });
  proxy.passage = () => 'request lost';
  for (let turn = 0; turn < 2; turn++) assert.equal(await job!.run(deps), 0);
  proxy.passage = () => 'whole';
  for (let turn = 0; turn < 2; turn++) await job!.run(deps);
  assert.deepEqual(
    lines.map(({ msg }) => msg),
    ['the card issuer’s events cannot be read; retrying', 'the card issuer’s events can be read again'],
  );
  assert.equal((await sql('select from card_issuer_users where user_id = $1', [userId])).length, 1);
  assert.equal(job!.isConfigured!({ ...deps, issuer: noIssuer }), false, 'it never runs without an issuer');
});
