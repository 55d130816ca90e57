import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { IssuedKey } from '#features/keys';
import { flushRequests } from '#features/requests';
import {
  makeAddress,
  makeConsent,
  makeConsentRequest,
  makeIntegration,
  makeKey,
  makeLines,
  makeUser,
} from '#test/data/factories';
import { numberAll } from '#test/database/number-events';
import { useIssuer } from '#test/outside/issuer';
import {
  AddressKnownError,
  AddressNotFoundError,
  BulkRefusedError,
  Causeway,
  ConsentNotGrantedError,
  ConsentRevokedError,
  EndpointDisabledError,
  EndpointNotFoundError,
  EventNotFoundError,
  ForeignConsentError,
  IdempotencyKeyReusedError,
  InvalidApiKeyError,
  InvalidKeyError,
  InvalidRequestError,
  KeyNotFoundError,
  NotYoursToGiveError,
  RecipientNotFoundError,
  ScopeNotGrantedError,
  UnauthorizedError,
  UserNotAllowedError,
  UserNotFoundError,
  WalletNotFoundError,
} from '../../packages/client/src/index.ts';
import { noteSecret, useHarness } from '../harness.ts';
import { type ClientDocument, isForPeople } from './prune-document.ts';

// Every method against the app. The last test compares what was called with the API reference.

const issuer = useIssuer();
// With the limiter's windows in the database, a test can give a user their allowance back.
const harness = useHarness(async () => ({
  issuer: issuer.issuer,
  rateLimitStore: 'postgres' as const,
  outgoing: { allowsLoopbackHttp: true, ports: [], allowedBlocks: [] },
}));
const resetAllowances = () => harness.deps.db.query('delete from rate_windows');
const called = new Set<string>();
let key: IssuedKey;
let causeway: Causeway;

/** As `fetch`, and notes what was called. */
const noting: typeof fetch = (url, init) => {
  called.add(`${init!.method} ${new URL(String(url)).pathname}`);
  return fetch(url, init);
};
const clientOf = (keys: { apiKey: string } | { integrationKey: string }) =>
  new Causeway({ baseUrl: harness.url, fetch: noting, ...keys });

async function collect<T>(list: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = [];
  for await (const item of list) items.push(item);
  return items;
}

before(async () => {
  key = await makeKey(harness);
  causeway = clientOf({ apiKey: key.token });
  await makeLines(harness, key.userId, [
    { description: 'Deposit', amountReceived: '300', assetReceived: 'USDC' },
    { transactionType: 'sell', description: 'Withdrawal', assetSent: 'USDC', amountSent: '12.5' },
    {
      transactionType: 'swap-bridge',
      description: 'USDC to USDT',
      assetSent: 'USDC',
      amountSent: '100',
      assetReceived: 'USDT',
      amountReceived: '99.9',
    },
    { transactionType: 'transfer-token', description: 'Sent to Rui', assetSent: 'USDC', amountSent: '25' },
  ]);
});

test('withdrawals in bulk: created, repeated, listed, refused as a whole', async () => {
  const { userId } = await makeKey(harness, { partnerId: key.partnerId });
  const withdrawals = ['1', '2', '3'].map((amount) => ({ amount, to: makeAddress() }));
  const bulk = await causeway.withdrawals.createBulk({ userId, withdrawals }, { idempotencyKey: 'bulk-0' });
  assert.deepEqual([bulk.count, bulk.isReplay, bulk.idempotencyKey], [3, false, 'bulk-0']);
  const again = await causeway.withdrawals.createBulk({ userId, withdrawals }, { idempotencyKey: 'bulk-0' });
  assert.deepEqual([again.bulkId, again.isReplay], [bulk.bulkId, true]);
  const listed = await collect(causeway.withdrawals.list({ userId, bulkId: bulk.bulkId, perPage: 2 }));
  assert.deepEqual(
    listed.map(({ amountToPayToken }) => amountToPayToken),
    ['3', '2', '1'],
  );
  await assert.rejects(causeway.withdrawals.retrieve(bulk), RangeError);
  const faulty = [...withdrawals, { amount: '0', to: makeAddress() }];
  await assert.rejects(
    causeway.withdrawals.createBulk({ userId, withdrawals: faulty }),
    (error: BulkRefusedError) => {
      assert.ok(error instanceof BulkRefusedError);
      assert.deepEqual(error.details, [{ field: 'withdrawals.3.amount', message: 'must be above zero' }]);
      return true;
    },
  );
});

test('withdrawals: created, repeated, listed in pages, read one by one', async () => {
  const { userId } = key;
  const order = { userId, amount: '1', to: makeAddress(), externalId: 'order-0' };
  const first = await causeway.withdrawals.create(order, { idempotencyKey: 'order-0' });
  assert.deepEqual([first.externalId, first.isReplay], ['order-0', false]);
  const { data: again, response } = await causeway.withdrawals
    .create({ ...order, currency: 'usdt' }, { idempotencyKey: 'order-0' })
    .withResponse();
  assert.deepEqual([again.bulkId, again.isReplay, response.status], [first.bulkId, true, 200]);
  for (let at = 1; at < 5; at++) await causeway.withdrawals.create({ ...order, externalId: `order-${at}` });
  const listed = await collect(causeway.withdrawals.list({ userId, perPage: 2 }));
  assert.deepEqual(
    listed.map(({ externalId }) => externalId),
    ['order-4', 'order-3', 'order-2', 'order-1', 'order-0'],
  );
  const all = await collect(causeway.withdrawals.listAll({ userId, limit: 2 }));
  assert.deepEqual(
    all.map(({ id }) => id),
    listed.map(({ id }) => id),
  );
  const page = await causeway.withdrawals.list({ userId, perPage: 2, page: 3, status: 'queued' });
  assert.deepEqual([page.items.length, page.info], [1, { limit: 2, offset: 4 }]);
  assert.equal((await causeway.withdrawals.retrieve(first))?.externalId, 'order-0');
  assert.equal(await causeway.withdrawals.retrieve({ userId, bulkId: page.items[0]!.id }), undefined);
  const assets = await causeway.withdrawals.assets();
  assert.ok(assets.some(({ currency, network }) => currency === 'USDC' && network === 'base'));
  assert.deepEqual(await causeway.withdrawals.limits({ userId }), { hasRules: false, limits: [] });
});

test('withdrawals: refusals are errors of their class', async () => {
  const { userId } = key;
  const order = { userId, amount: '1', to: makeAddress() };
  const stranger = (await makeUser(harness)).id;
  await causeway.withdrawals.create(order, { idempotencyKey: 'taken' });
  const create = (fields: Partial<typeof order>) => () =>
    causeway.withdrawals.create({ ...order, ...fields });
  const refusals = [
    [create({ amount: 'much' }), InvalidRequestError],
    [create({ to: 'nobody@example.com' }), RecipientNotFoundError],
    [create({ to: '0x12' }), WalletNotFoundError],
    [create({ userId: 'nobody' }), UserNotFoundError],
    [create({ userId: stranger }), UserNotAllowedError],
    [() => clientOf({ apiKey: 'wrong' }).withdrawals.create(order), UnauthorizedError],
    [() => causeway.withdrawals.list({ userId, perPage: 201 }), InvalidRequestError],
    [
      () => causeway.withdrawals.create({ ...order, amount: '2' }, { idempotencyKey: 'taken' }),
      IdempotencyKeyReusedError,
    ],
  ] as const;
  for (const [call, Class] of refusals) {
    const error = await call().then(
      () => assert.fail(Class.name),
      (error) => error,
    );
    assert.ok(error instanceof Class, `${Class.name}: ${error}`);
    assert.match(error.requestId!, /^[\w-]{8,}$/);
    assert.equal(error.isOutcomeUnknown, false);
  }
});

test('waitFor resolves when an operator has ended the withdrawal', async () => {
  const created = await causeway.withdrawals.create({ userId: key.userId, amount: '1', to: makeAddress() });
  const waiting = causeway.withdrawals.waitFor(created, { timeoutMs: 120_000 });
  const { id } = (await causeway.withdrawals.retrieve(created))!;
  const canceled = await harness.operator('withdrawals.cancel', { withdrawalId: id, reason: 'a test' });
  assert.equal(canceled.status, 200);
  const { status, errorMessage } = await waiting;
  assert.deepEqual([status, errorMessage], ['failed', 'Canceled: a test']);
});

test('history: every feature, iterated over pages of one line in spite of the rate limit', async () => {
  await harness.operator('ledger.record-unsettled', {
    userId: key.userId,
    id: 'order-18',
    transactionType: 'buy',
    status: 'pending',
    description: 'Deposit on its way',
    legs: [{ network: 'base', assetReceived: 'USDC', amountReceived: '3' }],
  });
  const { history } = causeway;
  await resetAllowances();
  const all = await collect(history.account({ pageSize: 1 }));
  assert.equal(new Set(all.map(({ uniqueHashId }) => uniqueHashId)).size, 4);
  const counts = [];
  for (const read of [
    () => history.deposits(),
    () => history.withdrawals({ startDate: '2020' }),
    () => history.swaps({ endDate: new Date(Date.now() + 60_000) }),
    () => history.transfers({ asOf: new Date(Date.now() + 60_000) }),
    () => history.portfolio(),
  ]) {
    await resetAllowances();
    const page = await read();
    counts.push(page.items.length, page.info.totalCount);
  }
  assert.deepEqual(counts, [1, 1, 1, 1, 1, 1, 1, 1, 2, 2]);
  await resetAllowances();
  const unsettled = await collect(history.unsettled());
  assert.ok(unsettled.some(({ id, status }) => id === 'order-18' && status === 'pending'));
});

test('history: a statement as a file', async () => {
  await resetAllowances();
  const { data: file, response } = await causeway.history.statement({ format: 'csv' }).withResponse();
  assert.match(file.headers.get('content-type')!, /^text\/csv/);
  assert.equal(file, response);
  assert.equal((await file.text()).trimEnd().split('\r\n').length, 5);
  await resetAllowances();
  const wrong = clientOf({ apiKey: 'wrong' }).history.statement();
  await assert.rejects(async () => wrong, InvalidKeyError);
});

test('cards: the cards, their payments and the movements of their collateral', async () => {
  const { userId } = key;
  const operate = async (command: string, input: object = {}) => {
    const { status, body } = await harness.operator(command, input);
    assert.equal(status, 200, JSON.stringify(body));
    return body.data;
  };
  const made = await operate('cards.create', {
    userId,
    cards: [{ spendingLimit: '500', nickname: 'Travel' }],
  });
  const { id: cardId, cardIssuerUserId } = made.cards[0];
  await operate('cards.update', { cardId, status: 'active' });
  await operate('cards.simulate-collateral-deposit', { cardIssuerUserId, amount: '300' });
  const paid = { cardId, amount: '9.5', merchantName: 'Padaria Lisboa' };
  const { transaction } = await operate('cards.simulate-authorization', paid);
  await operate('cards.simulate-settlement', { transactionId: transaction.id });
  await operate('cards.catch-up');
  await resetAllowances();
  const [card] = await collect(causeway.cards.list({ status: 'active' }));
  assert.deepEqual([card!.id, card!.nickname], [cardId, 'Travel']);
  await resetAllowances();
  const [payment] = await collect(causeway.cards.transactions({ filterByText: 'padaria' }));
  assert.equal(payment!.transaction.merchantName, 'Padaria Lisboa');
  await resetAllowances();
  const { items, info } = await causeway.cards.balanceMovements();
  assert.equal(info.totalCount, items.length);
  assert.ok(items.some(({ type, amount }) => type === 'credit' && amount === 300));
});

test('Connect: requested, read, reduced, revoked, refused', async () => {
  const integration = await makeIntegration(harness);
  const { consents } = clientOf({ integrationKey: integration.token });
  const requested = await consents.request({
    scopes: ['email', 'kyc'],
    optional_scopes: ['kyc'],
    redirect_uri: 'https://app.example.com/back',
    purpose: 'Open an account',
    duration: { type: 'days', days: 30 },
  });
  noteSecret(requested.link.split('/').at(-1)!);
  assert.equal((await consents.retrieve(requested.consent_id)).status, 'awaiting');
  const { id } = await makeConsent(harness, integration);
  const { user } = await consents.data(id);
  assert.equal(user.email?.verified, true);
  assert.deepEqual((await consents.reduce(id, { scopes: ['email'] })).scopes, ['email']);
  await assert.rejects(async () => consents.reduce(id, { scopes: ['kyc'] }), ScopeNotGrantedError);
  assert.equal((await consents.revoke(id)).status, 'revoked');
  assert.equal((await consents.revoke(id)).status, 'revoked');
  const ended = await consents.data(id).then(
    () => assert.fail('it has ended'),
    (error) => error,
  );
  assert.ok(ended instanceof ConsentRevokedError);
  assert.match((ended.body as { revoked_at: string }).revoked_at, /^\d{4}-/);
  const foreign = await makeConsent(harness, await makeIntegration(harness));
  await assert.rejects(async () => consents.data(foreign.id), ForeignConsentError);
  const { consent: awaiting } = await makeConsentRequest(harness, integration);
  await assert.rejects(async () => consents.data(awaiting.id), ConsentNotGrantedError);
  const stranger = clientOf({ integrationKey: 'wrong' });
  await assert.rejects(async () => stranger.consents.retrieve(id), InvalidApiKeyError);
});

for (const caller of ['partner', 'integration'] as const) {
  test(`webhook endpoints with the key of the ${caller}: every method, and refusals by class`, async () => {
    const client =
      caller === 'partner'
        ? clientOf({ apiKey: (await makeKey(harness)).token })
        : clientOf({ integrationKey: (await makeIntegration(harness)).token });
    const { webhookEndpoints, events } = client;
    const url = 'http://127.0.0.1:9/hooks';
    const { id, secret, publicKeys } = await webhookEndpoints.create({ url, types: ['key.rotated'] });
    noteSecret(secret.slice('whsec_'.length));
    for (const description of ['second', 'third'])
      noteSecret((await webhookEndpoints.create({ url, description })).secret.slice('whsec_'.length));
    const listed = await collect(webhookEndpoints.list({ limit: 1 }));
    assert.deepEqual(
      listed.map(({ description }) => description),
      ['', 'second', 'third'],
    );
    const page = await webhookEndpoints.list({ limit: 2 });
    assert.deepEqual([page.items.length, page.hasNextPage], [2, true]);
    const rest = await webhookEndpoints.list({ limit: 2, cursor: page.info.nextCursor! });
    assert.deepEqual([rest.items, rest.hasNextPage], [[listed[2]], false]);
    assert.deepEqual(await webhookEndpoints.publicKeys(id), publicKeys);

    const rotated = await webhookEndpoints.rotateSecret(id);
    noteSecret(rotated.secret.slice('whsec_'.length));
    assert.notEqual(rotated.secret, secret);
    assert.deepEqual((await webhookEndpoints.publicKeys(id)).slice(1), publicKeys);

    assert.equal((await webhookEndpoints.update(id, { types: null })).types, null);
    for (let at = 0; at < 2; at++) await webhookEndpoints.sendTest(id);
    await numberAll(harness);
    const deliveries = await collect(webhookEndpoints.listDeliveries(id, { limit: 1, status: 'due' }));
    assert.deepEqual(
      deliveries.map(({ sequence }) => sequence),
      [2, 1],
    );
    const { body, attemptList } = await webhookEndpoints.retrieveDelivery(id, deliveries[0]!.id);
    const { events: all } = await events.list();
    assert.deepEqual([JSON.parse(body), attemptList], [all[1], []]);
    const { eventId } = deliveries[0]!;
    assert.deepEqual(await webhookEndpoints.replay(id, { eventId }), { queued: 1, nextAfter: null });
    const day = { startDate: new Date(Date.now() - 86_400_000), endDate: new Date(Date.now() + 60_000) };
    // They wait already.
    assert.equal((await webhookEndpoints.replay(id, day)).queued, 0);

    const stranger = webhookEndpoints.replay(id, { eventId: 'evt_0' });
    await assert.rejects(async () => stranger, EventNotFoundError);
    await assert.rejects(
      async () => webhookEndpoints.create({ url: 'http://10.0.0.1' }),
      InvalidRequestError,
    );
    assert.equal((await webhookEndpoints.update(id, { enabled: false })).enabled, false);
    await assert.rejects(async () => webhookEndpoints.sendTest(id), EndpointDisabledError);
    assert.equal((await webhookEndpoints.retrieve(id)).disabledReason, 'owner');
    assert.equal((await webhookEndpoints.del(id)).id, id);
    await assert.rejects(async () => webhookEndpoints.retrieve(id), EndpointNotFoundError);
  });
}

test('keys: issue, list, retrieve, rotate and revoke, also the key of the client', async () => {
  const admin = await makeKey(harness, { scopes: ['partner:admin', 'events:read'] });
  const { keys } = clientOf({ apiKey: admin.token });
  const issued = await keys.issue({ name: 'Reports', scopes: ['events:read'] });
  noteSecret(issued.token.split('_')[2]!);
  assert.equal((await keys.retrieve(issued.id)).status, 'active');
  const rotated = await keys.rotate(issued.id, { overlapHours: 0 });
  noteSecret(rotated.token.split('_')[2]!);
  const listed = await collect(keys.list({ limit: 1 }));
  assert.deepEqual(listed.map(({ id }) => id).sort(), [admin.id, issued.id, rotated.id].sort());
  await assert.rejects(async () => keys.issue({ name: 'x', scopes: ['history:read'] }), NotYoursToGiveError);
  await assert.rejects(async () => keys.retrieve('abcdefghijkl2345'), KeyNotFoundError);
  assert.equal((await keys.revoke(admin.id)).status, 'revoked');
  await assert.rejects(async () => keys.list(), UnauthorizedError);
  assert.throws(() => clientOf({ integrationKey: 'cwi_x' }).keys.list(), TypeError);
});

test('addresses: propose, list and remove', async () => {
  const admin = await makeKey(harness, { scopes: ['partner:admin'] });
  const { addresses } = clientOf({ apiKey: admin.token });
  const entry = { address: makeAddress(), name: 'Payroll' };
  const { id, status } = await addresses.propose(entry);
  assert.equal(status, 'waiting');
  await assert.rejects(async () => addresses.propose(entry), AddressKnownError);
  assert.deepEqual(
    (await collect(addresses.list())).map((one) => one.id),
    [id],
  );
  assert.equal((await addresses.remove(id)).id, id);
  await assert.rejects(async () => addresses.remove(id), AddressNotFoundError);
});

test('requests: what the key asked, with the id of each answer', async () => {
  const admin = await makeKey(harness, { scopes: ['partner:admin'] });
  const { keys, requests } = clientOf({ apiKey: admin.token });
  await assert.rejects(async () => keys.retrieve('abcdefghijkl2345'), KeyNotFoundError);
  await flushRequests(harness.deps);
  const [refused] = await collect(requests.list({ keyId: admin.id, status: '4xx', limit: 1 }));
  assert.deepEqual([refused!.path, refused!.errorCode], ['/api/keys/abcdefghijkl2345', 'key_not_found']);
});

test('every operation of the API reference that a key can call has a method that was called here, except MCP', async () => {
  const { paths } = (await harness.request('GET', '/openapi.json')).body as ClientDocument;
  const isCalled = (operation: string) =>
    [...called].some((one) => {
      const [wanted, found] = [operation, one].map((text) => text.split('/'));
      return (
        wanted!.length === found!.length &&
        wanted!.every((part, at) => part.startsWith('{') || part === found![at])
      );
    });
  const missing = Object.entries(paths)
    .flatMap(([url, methods]) =>
      Object.entries(methods as Record<string, { security?: object[] }>)
        .filter(([, { security = [] }]) => !isForPeople(security))
        .map(([method]) => `${method.toUpperCase()} ${url}`),
    )
    .filter((operation) => !isCalled(operation));
  assert.deepEqual(missing, ['POST /mcp']);
});
