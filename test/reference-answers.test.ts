import assert from 'node:assert/strict';
import { constants, publicEncrypt, randomBytes, randomUUID } from 'node:crypto';
import { before, test } from 'node:test';
import { requestApproval } from '#features/approvals';
import type { IssuedKey } from '#features/keys';
import { payoutJobs } from '#features/payouts';
import { flushRequests } from '#features/requests';
import { createChecker } from '#test/callers/check-answers';
import { placedIn } from '#test/callers/example-requests';
import { payloadOf, toolCall } from '#test/callers/mcp';
import { signInStaff } from '#test/callers/staff-session';
import {
  makeAddress,
  makeConsent,
  makeConsentRequest,
  makeFunds,
  makeIntegration,
  makeKey,
  makeLines,
  makePartner,
  makeUser,
} from '#test/data/factories';
import { numberAll } from '#test/database/number-events';
import { recordAnswer } from '#test/generate/record-calls';
import { useChain } from '#test/outside/chain';
import { useIssuer } from '#test/outside/issuer';
import { makeApplication } from '#test/worlds/application';
import { makePerson } from '#test/worlds/people';
import { publish } from '#test/worlds/rules';
import { makeTraces, noteAttempt } from '#test/worlds/traces';
import { commands, historyReaders } from '../src/app.ts';
import { exampleOf } from '../src/surfaces/operator/reference.ts';
import { type Answer, networksWithoutNodes, noteSecret, type RequestOptions, useHarness } from './harness.ts';

// Every answer of this file is checked by the schema that the API reference has for it.

const issuer = useIssuer();
const chain = useChain();
// With the limiter's windows in the database, a test can give a user their allowance back.
const harness = useHarness(async () => {
  await chain.ready;
  const others = networksWithoutNodes().filter(({ network }) => network !== 'polygon');
  const networks = [chain.settings, ...others];
  return { issuer: issuer.issuer, rateLimitStore: 'postgres' as const, networks };
});
const resetAllowances = () => harness.deps.db.query('delete from rate_windows');
let check: ReturnType<typeof createChecker>['check'];
let checkOperator: typeof check;
let key: IssuedKey;
let endpointId: string;
let deliveryId: string;
let card: { id: string; cardIssuerUserId: string };

const call = async (method: string, url: string, options: RequestOptions = {}): Promise<Answer> => {
  const answer = await harness.request(method, url, options);
  const feature = new URL(url, 'http://host').searchParams.get('feature');
  const operation = check(method, url, answer);
  // The answers to bodies come from test/request-examples.test.ts, which sends those of the reference.
  if (options.body === undefined) recordAnswer(operation, feature ?? 'answer', answer);
  return answer;
};

const command = async (name: string, input: object = {}): Promise<Answer> => {
  const answer = await harness.operator(name, input);
  checkOperator('POST', `/operator/${name}`, answer);
  return answer;
};

before(async () => {
  ({ check } = createChecker((await harness.request('GET', '/openapi.json')).body));
  const { body } = await harness.request('GET', '/operator/openapi.json', { token: harness.operatorToken });
  ({ check: checkOperator } = createChecker(body));
  const { id: userId } = await makeUser(harness, {
    email: 'ana@example.com',
    givenName: 'Ana',
    familyName: 'Ribeiro',
  });
  key = await makeKey(harness, { userId, scopes: ['mcp', 'mcp:write', 'mcp_card_reveal'] });
  await makeFunds(harness, userId, 'polygon', 'USDT', '100');
  await harness.deps.db.query(
    `insert into prices values ('USDC', 1, now(), now()), ('USDT', 1, now(), now())`,
  );
  await makeLines(harness, userId, [
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
  const made = await command('cards.create', {
    userId,
    cards: [{ spendingLimit: '500', nickname: 'Travel' }],
  });
  card = made.body.data.cards[0];
  const { id: cardId, cardIssuerUserId } = card;
  await command('cards.update', { cardId, status: 'active' });
  await command('cards.simulate-collateral-deposit', { cardIssuerUserId, amount: '300' });
  const paid = await command('cards.simulate-authorization', {
    cardId,
    amount: '9.5',
    merchantName: 'Padaria Lisboa',
  });
  await command('cards.simulate-settlement', { transactionId: paid.body.data.transaction.id });
  await command('cards.catch-up');
});

test('withdrawals: created, listed, refused', async () => {
  const { token, userId } = key;
  const create = (body: object, options: RequestOptions = {}) =>
    call('POST', `/api/crypto/${userId}/withdraw`, { token, body, ...options });
  const headers = { 'idempotency-key': randomBytes(8).toString('hex') };
  const statuses = [
    await create({ amount: '1', to: makeAddress(), externalId: 'order-17' }, { headers }),
    await create({ amount: '2', to: makeAddress() }, { headers }),
    await create({ amount: '1', to: 'nobody@example.com' }),
    await create({ amount: '1', to: '0x12' }),
    await create({ amount: 'much', to: makeAddress() }),
    await create({ amount: '1', to: makeAddress() }, { token: 'wrong' }),
    await call('POST', `/api/crypto/${(await makeUser(harness)).id}/withdraw`, { token, body: {} }),
    await call('POST', `/api/crypto/nobody/withdraw`, { token, body: {} }),
    await call('POST', `/api/crypto/${userId}/withdrawals/bulk`, {
      token,
      body: { withdrawals: [{ amount: '1', to: makeAddress() }] },
    }),
    await call('POST', `/api/crypto/${userId}/withdrawals/bulk`, {
      token,
      body: { withdrawals: [{ amount: '1', to: 'nobody@example.com' }] },
    }),
    await call('GET', `/api/crypto/${userId}/withdraws?status=queued`, { token }),
    await call('GET', `/api/crypto/${userId}/withdraws?perPage=201`, { token }),
    await call('GET', '/api/crypto/assets', { token }),
    await call('GET', '/api/limits?userId=7', { token }),
    await call('GET', `/api/limits?userId=${(await makeUser(harness)).id}`, { token }),
    await call('GET', `/api/limits?userId=${randomUUID()}`, { token }),
  ].map(({ status }) => status);
  assert.deepEqual(
    statuses,
    [200, 422, 404, 404, 400, 401, 401, 404, 200, 400, 200, 400, 200, 400, 401, 404],
  );
  await publish(harness, [
    { name: 'Everything', verdict: 'allow' },
    { name: 'Daily', verdict: 'deny', sum: { over: '10', window: 'day', per: 'partner' } },
  ]);
  const limited = [
    await create({ amount: '11', to: makeAddress() }),
    await call('GET', '/api/limits', { token }),
    await call('GET', '/api/crypto/assets', { token }),
  ].map(({ status }) => status);
  assert.deepEqual(limited, [403, 200, 200]);
  await publish(harness, []);
});

test('withdrawals: one is paid, one fails', async () => {
  const { token, userId } = key;
  const url = `/api/crypto/${userId}/withdraw`;
  for (const [amount, externalId] of [
    ['12.5', 'order-21'],
    ['900', 'order-22'],
  ])
    await call('POST', url, { token, body: { amount, to: makeAddress(), externalId } });
  for (const step of ['hold', 'sign', 'send', 'mine', 'settle']) {
    if (step === 'mine') await chain.mine(2);
    else
      await payoutJobs()
        .find(({ name }) => name === `payouts.${step} polygon`)!
        .run(harness.deps);
  }
  const listed = await call('GET', `/api/crypto/${userId}/withdraws?perPage=2`, { token });
  const statuses = listed.body.data.withdraws.map(({ status }: { status: string }) => status);
  assert.deepEqual(statuses, ['failed', 'completed']);
  const paid = `/api/crypto/${userId}/withdraws?externalId=order-21`;
  assert.equal((await call('GET', paid, { token })).status, 200);
});

test('withdrawals of a partner by its people: listed, shown, summarized, files previewed and paid', async () => {
  const { partnerId, userId } = key;
  const { headers } = await signInStaff(harness, { role: 'finance', partnerId });
  const read = (path: string) => call('GET', `/api/withdrawals${path}`, { headers });
  const post = (path: string, body: object) =>
    call('POST', `/api/withdrawals/uploads${path}`, { headers, body });
  const list = await read('?limit=2');
  const [, { id, bulkId }] = list.body.items;
  const csv = `to,amount,currency,network\n${makeAddress()},1,USDT,polygon\nnobody@example.com,1,USDT,polygon`;
  const faulty = await post('', { userId, csv });
  const whole = await post('', { userId, csv: csv.split('\n').slice(0, 2).join('\n') });
  const statuses = [
    list,
    await call('GET', '/api/withdrawals', { token: key.token }),
    await read('?limit=0'),
    await read(`/${id}`),
    await read(`/${randomUUID()}`),
    await read(`/bulks/${bulkId}`),
    await read('/summary'),
    faulty,
    whole,
    await call('GET', `/api/withdrawals/uploads/${whole.body.id}`, { headers }),
    await post('', { userId, csv: 'a,b' }),
    await post(`/${whole.body.id}/confirm`, { times: 0 }),
    await post(`/${faulty.body.id}/confirm`, { times: 0 }),
    await post(`/${randomUUID()}/confirm`, { times: 0 }),
  ].map(({ status }) => status);
  assert.deepEqual(statuses, [200, 200, 400, 200, 404, 200, 200, 201, 201, 200, 400, 200, 400, 404]);
});

test('keys of a partner: issued, listed, shown, rotated, revoked, refused', async () => {
  const { token, id } = await makeKey(harness, { scopes: ['partner:admin', 'events:read'] });
  const issue = async (body: object) => {
    const answer = await call('POST', '/api/keys', { token, body });
    if (answer.body.token) noteSecret(answer.body.token.split('_')[2]);
    return answer;
  };
  const issued = await issue({ name: 'Reports' });
  const path = `/api/keys/${issued.body.id}`;
  const rotated = await call('POST', `${path}/rotate`, { token, body: { overlapHours: 1 } });
  noteSecret(rotated.body.token.split('_')[2]);
  const statuses = [
    issued,
    rotated,
    await issue({ name: 'x', scopes: ['partner:admin'] }),
    await issue({}),
    await call('GET', '/api/keys', { token }),
    await call('GET', '/api/keys?limit=0', { token }),
    await call('GET', path, { token }),
    await call('GET', '/api/keys/unknown', { token }),
    await call('POST', `${path}/rotate`, { token, body: {} }),
    await call('POST', `/api/keys/${id}/revoke`, { token }),
    await call('GET', '/api/keys', { token }),
    await call('GET', '/api/keys', { token: key.token }),
  ].map(({ status }) => status);
  assert.deepEqual(statuses, [201, 201, 403, 400, 200, 400, 200, 404, 409, 200, 401, 403]);
});

test('the users of a partner, and its request log: listed, refused', async () => {
  const { token, partnerId } = await makeKey(harness, { scopes: ['partner:admin'] });
  const { headers } = await signInStaff(harness, { role: 'finance', partnerId });
  await call('GET', '/api/requests', { token });
  await flushRequests(harness.deps);
  const statuses = [
    await call('GET', '/api/users', { headers }),
    await call('GET', '/api/users?limit=0', { headers }),
    await call('GET', '/api/users', { token }),
    await call('GET', '/api/requests', { token }),
    await call('GET', '/api/requests?startDate=2027&endDate=2026', { token }),
    await call('GET', '/api/requests', { headers }),
    await call('GET', '/api/requests', { token: key.token }),
  ].map(({ status }) => status);
  assert.deepEqual(statuses, [200, 400, 401, 200, 400, 403, 403]);
});

test('the address book of a partner: proposed, confirmed, listed, removed, refused', async () => {
  const { token, partnerId } = await makeKey(harness, { scopes: ['partner:admin'] });
  const { headers } = await signInStaff(harness, { role: 'owner', partnerId });
  const body = { address: makeAddress(), name: 'Payroll' };
  const proposed = await call('POST', '/api/addresses', { token, body });
  const own = await call('POST', '/api/addresses', { headers, body: { ...body, network: 'base' } });
  const statuses = [
    proposed,
    await call('POST', '/api/addresses', { token, body }),
    await call('POST', '/api/addresses', { token, body: { ...body, address: 'x' } }),
    await call('POST', `/api/addresses/${own.body.id}/confirm`, { headers }),
    await call('POST', `/api/addresses/${own.body.id}/confirm`, { headers: { cookie: headers.cookie! } }),
    await call('POST', `/api/addresses/${own.body.id}/confirm`, {}),
    await call('POST', `/api/addresses/${proposed.body.id}/confirm`, { headers }),
    await call('GET', '/api/addresses', { token }),
    await call('DELETE', `/api/addresses/${proposed.body.id}`, { token }),
    await call('DELETE', `/api/addresses/${own.body.id}`, { headers }),
    await call('DELETE', `/api/addresses/${own.body.id}`, { headers }),
  ].map(({ status }) => status);
  assert.deepEqual(statuses, [201, 409, 400, 403, 403, 401, 200, 200, 404, 200, 404]);
});

test('the team of a partner: listed, invited, changed, removed, refused', async () => {
  const { id: partnerId } = await makePartner(harness);
  const { headers, person } = await signInStaff(harness, { role: 'owner', partnerId });
  const team = async (name: string, body: object, options: RequestOptions = { headers }) => {
    const answer = await call('POST', `/people/team/${name}`, { ...options, body });
    if (answer.body.data?.url) noteSecret(answer.body.data.url.split('/').at(-1));
    return answer;
  };
  const invited = await team('invite', { name: 'Rui', email: 'rui@example.org', role: 'finance' });
  const { id: personId } = invited.body.data.person;
  const statuses = [
    invited,
    await team('invite', { name: 'Rui', email: 'rui@example.org', role: 'finance' }),
    await team('invite', { name: 'Rui', email: 'eva@example.org', role: 'admin' }),
    await team('update', { personId, role: 'developer' }),
    await team('update', { personId: person.id, role: 'developer' }),
    await team('reinvite', { personId }),
    await team('remove', { personId }),
    await team('remove', { personId: randomUUID() }),
    await team('list', {}),
    await team('list', {}, {}),
    await team('list', {}, { headers: { cookie: headers.cookie! } }),
  ].map(({ status }) => status);
  assert.deepEqual(statuses, [200, 409, 400, 200, 409, 200, 200, 404, 200, 401, 403]);
});

test('an integration, for its people: shown, its key replaced, its figures, refused', async () => {
  const { id: integrationId, token } = await makeIntegration(harness);
  const { headers } = await signInStaff(harness, { role: 'owner', integrationId });
  const rotated = await call('POST', '/api/integration/rotate-key', { headers, body: { overlapHours: 0 } });
  noteSecret(rotated.body.token.split('_')[2]);
  const statuses = [
    rotated,
    await call('GET', '/api/integration', { headers }),
    await call('GET', '/api/integration/activity', { headers }),
    await call('GET', '/api/integration'),
    await call('GET', '/api/integration', { headers: { 'x-api-key': token } }),
    await call('POST', '/api/integration/rotate-key', { headers, body: { overlapHours: 721 } }),
    await call('POST', '/api/integration/rotate-key', { headers: { cookie: headers.cookie! } }),
    await call('GET', '/api/v1/webhooks/endpoints', { headers }),
    await command('integrations.revoke', { integrationId }),
    await call('GET', '/api/v1/webhooks/endpoints', { headers }),
  ].map(({ status }) => status);
  assert.deepEqual(statuses, [201, 200, 200, 401, 401, 400, 403, 200, 200, 401]);
});

test('history: every feature, with items', async () => {
  await command('ledger.record-unsettled', {
    userId: key.userId,
    id: 'order-18',
    transactionType: 'buy',
    status: 'pending',
    description: 'Deposit',
    legs: [{ network: 'base', assetReceived: 'USDC', amountReceived: '3' }],
  });
  for (const { feature } of historyReaders) {
    await resetAllowances();
    const resource = feature.startsWith('cards') ? 'cards' : 'account';
    const { status, body } = await call('GET', `/api/history?resource=${resource}&feature=${feature}`, {
      token: key.token,
    });
    assert.equal(status, 200);
    const [items] = Object.values<unknown[]>(body);
    assert.ok(items!.length > 0, `${feature} has items`);
  }
});

test('history: an empty page, an ignored parameter, and refusals', async () => {
  const { token } = await makeKey(harness);
  const read = async (query: string, options: RequestOptions = { token }) => {
    await resetAllowances();
    return call('GET', `/api/history?${query}`, options);
  };
  const statuses = [
    await read('resource=account&feature=account'),
    await read('resource=account&feature=account-unsettled'),
    await read('resource=cards&feature=cards-summary&startDate=2026-01-01'),
    await read('resource=cards&feature=account'),
    await read('resource=account&feature=account', {}),
    await read('resource=account&feature=account', { token: 'wrong' }),
  ].map(({ status }) => status);
  assert.deepEqual(statuses, [200, 200, 200, 400, 401, 401]);
  const many = await Promise.all([1, 2, 3].map(() => call('GET', '/api/history?resource=cards', { token })));
  assert.ok(many.some(({ status }) => status === 429));
});

test('MCP: every tool, a refused one, and JSON-RPC errors', async () => {
  const { token } = key;
  const { id: cardId, cardIssuerUserId } = card;
  const post = (body: unknown, options: RequestOptions = { token }) =>
    call('POST', '/mcp', { body, ...options });
  const use = async (name: string, args: object = {}) => payloadOf(await post(toolCall(name, args)));
  await use('getAccountBalance');
  await use('getAccountHistory', { limit: 2 });
  await use('getUserCards', { status: 'active' });
  await use('getUserCardTransactions', { cardId, cardIssuerUserId });
  await use('getUserCardSummary', { pageSize: 10 });
  await use('getUserCardBalanceMovements', { pageSize: 10 });
  await use('getUserCardBalanceAutomation', { pageSize: 10 });
  const { publicKey } = await use('getCardRevealPublicKey');
  const wrapped = { key: publicKey, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha1' };
  const sessionId = publicEncrypt(wrapped, Buffer.from(noteSecret(randomBytes(8).toString('hex')))).toString(
    'base64',
  );
  await use('getUserCards', { cardId, cardIssuerUserId, includeCardSecrets: true, sessionId });
  const { cards } = await use('createUserCards', { cards: [{ spendingLimit: '50', nickname: 'Office' }] });
  await use('updateUserCard', { cardId: cards[0].id, cardIssuerUserId, nickname: 'Home office' });

  const refused = await post(toolCall('getUserCardTransactions', { cardId: 'card_none', cardIssuerUserId }));
  assert.equal(refused.body.result.isError, true);
  const { token: bare } = await makeKey(harness, { scopes: [] });
  const statuses = [
    await post(toolCall('getCard')),
    await post([]),
    await post('no json'),
    await post({}, { token: bare }),
    await post({}, {}),
  ].map(({ status, body }) => [status, body.error.code]);
  assert.deepEqual(statuses, [
    [200, -32602],
    [400, -32600],
    [400, -32700],
    [403, -32003],
    [401, -32001],
  ]);
});

test('Connect: requested, read, reduced, revoked, refused', async () => {
  const integration = await makeIntegration(harness);
  const headers = { 'x-api-key': integration.token };
  const ask = (method: string, where: string, body?: object) =>
    call(method, `/api/v1/consent/${where}`, { headers, body });
  const asked = await ask('POST', 'requests', {
    scopes: ['email', 'kyc'],
    optional_scopes: ['kyc'],
    redirect_uri: 'https://app.example.com/back',
    purpose: 'Open an account',
    duration: { type: 'days', days: 30 },
  });
  noteSecret(asked.body.link.split('/').at(-1));
  const { id } = await makeConsent(harness, integration);
  const foreign = await makeConsent(harness, await makeIntegration(harness));
  const { consent: awaiting } = await makeConsentRequest(harness, integration);
  const statuses = [
    asked,
    await ask('GET', `${id}/user`),
    await ask('GET', id),
    await ask('PATCH', id, { scopes: ['email'] }),
    await ask('GET', `${id}/user`),
    await ask('DELETE', id),
    await ask('GET', `${id}/user`),
    await ask('PATCH', id, { scopes: ['email'] }),
    await ask('GET', `${foreign.id}/user`),
    await ask('GET', `${awaiting.id}/user`),
    await ask('GET', 'none/user'),
    await ask('POST', 'requests', {}),
    await call('GET', `/api/v1/consent/${id}/user`),
    await call('GET', `/api/v1/consent/${id}/user`, { headers: { 'x-api-key': 'wrong' } }),
  ].map(({ status }) => status);
  assert.deepEqual(statuses, [201, 200, 200, 200, 200, 200, 410, 410, 403, 404, 404, 400, 401, 401]);
});

test('events: of withdrawals, lines, cards and consents', async () => {
  const integration = await makeIntegration(harness);
  const { id } = await makeConsent(harness, integration);
  const headers = { 'x-api-key': integration.token };
  await call('DELETE', `/api/v1/consent/${id}`, { headers });
  await numberAll(harness);
  const { token } = key;
  const ofPartner = await call('GET', '/api/events?limit=1000', { token });
  const ofIntegration = await call('GET', '/api/v1/events', { headers });
  const types = [ofPartner, ofIntegration].flatMap(({ body }) =>
    body.events.map(({ type }: { type: string }) => type),
  );
  assert.deepEqual([...new Set(types)].sort(), [
    'card.created',
    'card.updated',
    'card_transaction.authorized',
    'card_transaction.settled',
    'consent.granted',
    'consent.revoked',
    'ledger.line_posted',
    'withdrawal.completed',
    'withdrawal.failed',
    'withdrawal.pending',
    'withdrawal.processing',
    'withdrawal.queued',
  ]);
  const statuses = [
    await call('GET', '/api/events?limit=0', { token }),
    await call('GET', '/api/events'),
    await call('GET', '/api/v1/events'),
    await call('GET', '/api/v1/events', { headers: { 'x-api-key': 'wrong' } }),
  ].map(({ status }) => status);
  assert.deepEqual(statuses, [400, 401, 401, 401]);
});

for (const audience of ['partner', 'integration'] as const) {
  test(`webhooks: every operation of a ${audience}`, async () => {
    const integration = await makeIntegration(harness);
    const isPartner = audience === 'partner';
    const caller: RequestOptions = isPartner
      ? { token: key.token }
      : { headers: { 'x-api-key': integration.token } };
    const prefix = isPartner ? '/api/webhooks/endpoints' : '/api/v1/webhooks/endpoints';
    const ask = async (method: string, path: string, body?: object, options = caller) => {
      await resetAllowances();
      const answer = await call(method, `${prefix}${path}`, { ...options, ...(body && { body }) });
      if (answer.body?.secret) noteSecret(answer.body.secret.slice('whsec_'.length));
      return answer;
    };
    const created = await ask('POST', '', { url: 'https://hooks.example.com/in', description: 'Books' });
    const second = await ask('POST', '', { url: 'https://hooks.example.com/two' });
    const one = `/${created.body.id}`;
    endpointId = created.body.id;
    const asked = await ask('POST', `${one}/test`);
    await numberAll(harness);
    const listed = await ask('GET', `${one}/deliveries?status=due`);
    const { id, eventId } = listed.body.items[0];
    deliveryId = id;
    await noteAttempt(harness, id);
    const none = '/0198a6a0-0000-7000-8000-000000000001';
    const statuses = [
      created,
      asked,
      listed,
      await ask('GET', ''),
      await ask('GET', one),
      await ask('GET', `${one}/deliveries/${id}`),
      await ask('POST', `${one}/replay`, { eventId }),
      await ask('POST', `${one}/rotate-secret`),
      await call('GET', `/.well-known/webhook-keys${one}`),
      await ask('PATCH', one, { enabled: false }),
      await ask('POST', `${one}/replay`, { eventId }),
      await ask('POST', `${one}/test`),
      await ask('PATCH', one, { enabled: true, types: ['key.rotated'], ordered: true }),
      await ask('POST', '', { url: 'https://10.0.0.1/in' }),
      await ask('POST', `${one}/replay`, {}),
      await ask('POST', `${one}/replay`, { eventId: 'evt_none' }),
      await ask('GET', none),
      await ask('GET', `${one}/deliveries/0`),
      await call('GET', `/.well-known/webhook-keys${none}`),
      await ask('GET', '', undefined, {}),
      await ask('GET', '?limit=0'),
      await ask('DELETE', `/${second.body.id}`),
    ].map(({ status }) => status);
    const good = [201, 200, 200, 200, 200, 200, 200, 200, 200, 200];
    assert.deepEqual(statuses, [...good, 409, 409, 200, 400, 400, 404, 404, 404, 404, 401, 400, 200]);
  });
}

let approvalId: string;

/** Inputs of commands that need one. The others here are called without. */
const inputs: Record<string, () => object> = {
  'approvals.payment': () => ({ withdrawalId }),
  'approvals.show': () => ({ id: approvalId }),
  'audit.show': () => ({ id: '1' }),
  'events.list': () => ({ subscriberId: key.partnerId }),
  'integrations.show-application': () => ({ applicationId }),
  'partners.list-users': () => ({ partnerId: key.partnerId }),
  'cards.show': () => ({ cardId: card.id }),
  'positions.show': () => ({ userId: key.userId }),
  'keys.list': () => ({ partnerId: key.partnerId }),
  'people.show': () => ({ personId }),
  'ledger.balances': () => ({ userId: key.userId }),
  'withdrawals.show': () => ({ withdrawalId: 'order-17' }),
  'withdrawals.history': () => ({ withdrawalIds: [withdrawalId] }),
  'rules.replay': () => ({ revision: 1 }),
  'treasury.find-transaction': () => ({ transactionHash: depositHash }),
  'webhooks.deliveries': () => ({ endpointId }),
  'webhooks.show-delivery': () => ({ endpointId, deliveryId }),
  'webhooks.trace': () => ({ withdrawalId }),
};

const depositHash = `0x${'de'.repeat(32)}`;
let personId: string;
let applicationId: string;
let withdrawalId: string;

test('operators: commands that change nothing answer as documented', async () => {
  personId = (await makePerson(harness)).id;
  withdrawalId = (await command('withdrawals.show', { withdrawalId: 'order-17' })).body.data.id;
  applicationId = (await makeApplication(harness)).id;
  await makePartner(harness);
  await makeTraces(harness, { userId: key.userId, transactionHash: depositHash });
  const asked = { command: 'partners.create', input: { name: 'Acme' } };
  ({ id: approvalId } = await requestApproval(harness.operatorContext(), asked));
  const elsewhere = ['ledger.statement', 'prices.refresh', 'deposits.check'];
  const { cardIssuerUserId } = card;
  const terms = { threshold: '20', amount: '50', network: 'base', currency: 'USDC', enabled: true };
  await command('cards.configure-refill', { cardIssuerUserId, ...terms });
  for (const { name } of commands.filter(({ name, changes }) => !changes && !elsewhere.includes(name))) {
    const { status, body } = await command(name, inputs[name]?.() ?? {});
    assert.equal(status, 200, `${name}: ${JSON.stringify(body)}`);
  }
});

/** Refused here, and why that is no fault of the example. */
const refused: Record<string, string> = {
  // src/features/portfolio/prices.test.ts sends the same with a source of prices.
  'prices.refresh': 'no_price_source',
};

test('200 as the reference shows it: every command that changes nothing', async () => {
  const { userId, partnerId } = key;
  for (const { name } of commands.filter(({ changes }) => !changes)) {
    // The chain here is shorter than the one of the example.
    const world = { userId, partnerId, fromBlock: 0, ...inputs[name]?.() };
    const { status, body } = await command(name, placedIn(exampleOf(name)!, world));
    const wanted = refused[name] ? [409, refused[name]] : [200, undefined];
    assert.deepEqual([status, body.code], wanted, `${name}: ${JSON.stringify(body)}`);
  }
});
