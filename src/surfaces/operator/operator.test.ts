import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Issuer, noIssuer } from '#adapters/issuer';
import { requestApproval } from '#features/approvals';
import { openRefills } from '#features/cards/refills';
import { flushRequests } from '#features/requests';
import { createMetrics } from '#platform/observe/metrics';
import {
  makeAddress,
  makeConsent,
  makeDeposit,
  makeIntegration,
  makeKey,
  makePartner,
  makeUser,
  makeWithdrawal,
} from '#test/data/factories';
import { numberAll } from '#test/database/number-events';
import { noteSecret, useHarness } from '#test/harness';
import { makeCardOwner } from '#test/models/card-model';
import { makeApplication } from '#test/worlds/application';
import { makePerson } from '#test/worlds/people';
import { buildApp, commands } from '../../app.ts';

const harness = useHarness();
const post = (command: string, options: Parameters<typeof harness.request>[2]) =>
  harness.request('POST', `/operator/${command}`, options);

for (const { name } of commands) {
  test(`401 Unauthorized: ${name} without the token, with a wrong one, in another scheme, with a partner’s key`, async () => {
    const { token } = await makeKey(harness);
    for (const headers of [
      {},
      { authorization: 'Bearer' },
      { authorization: 'Bearer ' },
      { authorization: harness.operatorToken },
      { authorization: `Basic ${harness.operatorToken}` },
      { authorization: `Bearer ${harness.operatorToken}x` },
      { authorization: `Bearer ${harness.operatorToken.slice(0, -1)}` },
      { authorization: `Bearer ${harness.operatorToken.toUpperCase()}` },
      { authorization: `Bearer tester:${harness.operatorToken}` },
      { authorization: `Bearer ${token}` },
    ]) {
      const { status, body } = await post(name, { headers: headers as Record<string, string>, body: {} });
      assert.deepEqual(
        [status, body.error, body.code],
        [401, 'Unauthorized', 'unauthorized'],
        JSON.stringify(headers),
      );
    }
  });

  test(`401 Unauthorized: ${name} before anything of the body is read`, async () => {
    const { status } = await post(name, { body: '{"half', headers: { authorization: 'Bearer wrong' } });
    assert.equal(status, 401);
  });

  test(`400 ${name}: a field that is not known, by its name`, async () => {
    const { status, body } = await harness.operator(name, { unheardOf: 1 });
    assert.equal(status, 400);
    assert.ok(
      body.details.some((detail: { field: string }) => detail.field === 'unheardOf'),
      body.error,
    );
  });

  test(`400 ${name}: a body that is no object`, async () => {
    for (const body of ['[]', '"text"', '7', 'true']) {
      const answer = await post(name, { token: harness.operatorToken, body });
      assert.equal(answer.status, 400, body);
    }
  });

  test(`4xx ${name}: no value of any field makes the server fail`, async () => {
    const { input } = commands.find((command) => command.name === name)!;
    const odd: unknown[] = [
      null,
      true,
      -1,
      1.5,
      1e300,
      '',
      ' ',
      '\u0000',
      '\u009b31m',
      '\ud800',
      '%',
      "'; select 1; --",
      '{}',
      '[]',
      'x'.repeat(10_000),
      [],
      [null],
      [[]],
      {},
      { toString: 1 },
      '2030-12-31T23:59:60Z',
      '-'.repeat(36),
    ];
    for (const field of Object.keys(input.properties)) {
      for (const value of odd) {
        const { statusCode, body } = await harness.server.inject({
          method: 'POST',
          url: `/operator/${name}`,
          payload: { [field]: value },
          headers: { authorization: `Bearer ${harness.operatorToken}` },
        });
        assert.ok(
          statusCode < 500,
          `${field} = ${JSON.stringify(value).slice(0, 60)}: ${statusCode} ${body}`,
        );
      }
    }
  });
}

const makeRefillRule = async () => {
  const { cardIssuerUserId } = await makeCardOwner(harness);
  return harness.operator('cards.configure-refill', {
    cardIssuerUserId,
    threshold: '20',
    amount: '50',
    network: 'polygon',
    currency: 'USDC',
    enabled: true,
  });
};

const makeEndpoint = async (partnerId: string) => {
  const url = 'https://hooks.example.com/causeway';
  const { body } = await harness.operator('webhooks.create', { url, partnerId, allUsers: true });
  noteSecret(body.data.secret.slice('whsec_'.length));
  return body.data.id as string;
};

const makeRead = async () => {
  const integration = await makeIntegration(harness);
  const { id } = await makeConsent(harness, integration);
  const headers = { 'x-api-key': integration.token };
  assert.equal((await harness.request('GET', `/api/v1/consent/${id}/user`, { headers })).status, 200);
};

const lists = commands.filter(({ input }) => 'cursor' in input.properties).map(({ name }) => name);

test('400 cursor is not from this list: from another list, made up, cut, in another alphabet', async () => {
  const { partnerId } = await makeKey(harness);
  const endpoints = [await makeEndpoint(partnerId), await makeEndpoint(partnerId)];
  for (let made = 0; made < 2; made++) {
    await makeWithdrawal(harness, await makeKey(harness, { partnerId }));
    await makePartner(harness);
    await makePerson(harness);
    await makeUser(harness, { email: `jos\u00e9-${made}@example.com` });
    await makeDeposit(harness, (await makeUser(harness)).id);
    await makeApplication(harness);
    await harness.operator('users.block-address', { address: makeAddress(), reason: 'test' });
    await harness.operator('addresses.add', { address: makeAddress(), name: 'test' });
    await harness.operator('rules.draft', { rules: [] });
    await requestApproval(harness.operatorContext(), { command: 'partners.create', input: { name: 'Acme' } });
  }
  await makeCardOwner(harness, { cards: [{}, {}] });
  for (let made = 0; made < 2; made++) {
    await makeRefillRule();
    await makeRead();
  }
  // Collateral of 0 is below every threshold; the issuer's feed has been read completely.
  const issuer: Issuer = { ...noIssuer, readEvents: async () => [] };
  assert.ok((await openRefills({ ...harness.operatorContext(), issuer })) >= 2);
  await harness.deps.db.query(
    `insert into prices (token, price, quoted_at, refreshed_at) values ('USDC', 1, now(), now()), ('USDT', 1, now(), now())`,
  );
  await harness.deps.db.query(
    `insert into ledger_verdicts (subject, fault_count, faults, since_last, actor_kind, actor_id, checked_at)
     select id::text, 1, '[]', false, 'operator', 'tester', now() from users`,
  );
  await numberAll(harness);
  // The withdrawals above were asked for with keys.
  await flushRequests(harness.deps);
  const required: Record<string, object> = {
    'events.list': { subscriberId: partnerId },
    'partners.list-users': { partnerId },
    'webhooks.deliveries': { endpointId: endpoints[0] },
  };
  const list = (name: string, page: object) => harness.operator(name, { ...required[name], ...page });
  const cursors: Record<string, string> = {};
  for (const name of lists) {
    const { body } = await list(name, { limit: 1 });
    cursors[name] = body.data.nextCursor;
    assert.match(cursors[name]!, /^[A-Za-z0-9_-]+$/);
    assert.equal((await list(name, { limit: 1, cursor: cursors[name] })).status, 200);
  }
  assert.ok(lists.length >= 3);
  for (const name of lists) {
    const foreign = Object.entries(cursors)
      .filter(([from]) => from !== name)
      .map(([, cursor]) => cursor);
    const encode = (text: string) => Buffer.from(text).toString('base64url');
    const madeUp = [
      '',
      '!',
      encode('-'.repeat(36)),
      encode("' or 1=1"),
      encode('\u0000'),
      encode('9'.repeat(40)),
      cursors[name]!.slice(4),
    ];
    for (const cursor of [...foreign, ...madeUp]) {
      const { status, body } = await list(name, { cursor });
      assert.deepEqual([status, body.error], [400, 'cursor is not from this list'], `${name} ${cursor}`);
      assert.equal(body.details[0].field, 'cursor');
    }
  }
});

test('200: a command whose input is all optional needs no body', async () => {
  const isAllOptional = ({ input }: { input: { required?: string[] } }) => !input.required?.length;
  const optional = commands.filter((command) => lists.includes(command.name) && isAllOptional(command));
  assert.ok(optional.length >= 3);
  for (const { name } of optional) {
    const { status, body } = await post(name, { token: harness.operatorToken });
    assert.equal(status, 200, name);
    assert.ok('nextCursor' in body.data, name);
  }
});

test('400 details: every field at fault is named, the first one in the error', async () => {
  const { status, body } = await harness.operator('users.create', { email: 7, givenName: '', extra: 1 });
  assert.equal(status, 400);
  assert.deepEqual(
    new Set(body.details.map(({ field }: { field: string }) => field)),
    new Set(['email', 'givenName', 'familyName', 'extra']),
  );
  assert.equal(body.error, `${body.details[0].field} ${body.details[0].message}`);
});

test('404 and nothing else: an unknown command; 405: another method', async () => {
  for (const name of [
    'users.delete',
    'users',
    'users.create/',
    'constructor',
    '..%2foperator%2fusers.list',
  ]) {
    const { status, body } = await post(name, { token: harness.operatorToken, body: {} });
    assert.deepEqual([status, body.error], [404, 'Not found'], name);
  }
  const { status, headers } = await harness.request('GET', '/operator/users.list', {
    token: harness.operatorToken,
  });
  assert.deepEqual([status, headers.get('allow')], [405, 'POST']);
});

test('415 Content-Type must be application/json', async () => {
  const { status, body } = await post('users.list', {
    token: harness.operatorToken,
    body: '{}',
    headers: { 'content-type': 'text/plain' },
  });
  assert.deepEqual([status, body.error], [415, 'Content-Type must be application/json']);
});

test('each operator acts under their own name, and a process without the role api has no operator routes', async () => {
  const tokens = new Map([
    ['maria', { token: noteSecret('m'.repeat(40)) }],
    ['joão@example.com', { token: noteSecret('j'.repeat(40)) }],
  ]);
  const options = {
    operatorTokens: tokens,
    trustedProxies: [],
    databasePoolMax: 10,
    withdrawalLimits: [],
    withdrawalRates: { partner: 1_000_000, user: 1_000_000 },
    balanceStaleAfterMs: 3_600_000,
  };
  const start = (servesApi: boolean) =>
    buildApp({ ...harness.deps, metrics: createMetrics() }, { ...options, servesApi });
  const [server, workerOnly] = [await start(true), await start(false)];
  for (const [name, { token }] of tokens) {
    const request = {
      method: 'POST',
      url: '/operator/partners.create',
      headers: { authorization: `bearer ${token}` },
      payload: { name: 'Partner' },
    } as const;
    const { data } = (await server.inject(request)).json();
    const [row] = (await harness.operator('audit.list', { subject: `partner:${data.id}` })).body.data.items;
    assert.equal(row.actorId, name);
    assert.equal((await workerOnly.inject(request)).statusCode, 404);
  }
  await server.close();
  await workerOnly.close();
});

test('400 with the same message for the same fault, in every id field', async () => {
  const [partner, user] = [await makePartner(harness), await makeUser(harness)];
  const { body } = await harness.operator('partners.allow-user', {
    partnerId: partner.id,
    userId: `${user.id} `,
  });
  assert.match(body.error, /^userId must be a UUID/);
});
