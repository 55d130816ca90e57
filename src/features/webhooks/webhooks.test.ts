import assert from 'node:assert/strict';
import { test } from 'node:test';
import { issueKey } from '#features/keys';
import { allowUser } from '#features/partners';
import { makeIntegration, makeKey, makeLines, makeUser, makeWithdrawal } from '#test/data/factories';
import { numberAll } from '#test/database/number-events';
import { waitUntil } from '#test/wait-until';
import { useWebhooks } from '#test/worlds/webhook';
import { webhookJobs } from './jobs.ts';

const { world, call, createEndpoint, makeEvents, startDelivering, arrived, deliveries } = useWebhooks();
const { harness } = world;

test('an endpoint receives the events of the feed, byte for byte, once each', async () => {
  const { id } = await createEndpoint();
  startDelivering();
  await makeEvents(5);
  await arrived(5);
  const { body } = await harness.request('GET', '/api/events', { token: world.key.token });
  const sent = world.receiver.received.map(({ event }) => event);
  assert.deepEqual(
    sent.toSorted((one, other) => one.sequence - other.sequence),
    body.events,
  );
  for (const { headers, event } of world.receiver.received) assert.equal(headers['webhook-id'], event.id);
  await waitUntil('all are stored', async () =>
    (await deliveries(id)).every(({ status, attempts }) => status === 'delivered' && attempts === 1),
  );
  assert.equal((await deliveries(id)).length, 5);
});

test('the secret is in the answer to the creation and the rotation, and nowhere else', async () => {
  const { id, secret } = await createEndpoint();
  assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
  const rotated = await call('POST', `/${id}/rotate-secret`);
  assert.notEqual(rotated.body.secret, secret);
  const answers = [
    await call('GET', ''),
    await call('GET', `/${id}`),
    await call('PATCH', `/${id}`, { description: 'Mine' }),
    await harness.operator('webhooks.list'),
    await harness.operator('audit.list', { limit: 200 }),
  ];
  for (const { body } of answers) assert.ok(!JSON.stringify(body).includes('whsec_'));
  const [row] = await harness.deps.db.query(
    'select secret, former_secret from webhook_endpoints where id = $1',
    [id],
  );
  for (const stored of Object.values(row!) as Buffer[]) {
    assert.ok(!stored.includes(secret.slice(6)) && !stored.includes(Buffer.from(secret.slice(6), 'base64')));
  }
});

test('types and disabled endpoints are left out, and a test goes to one endpoint only', async () => {
  const all = await createEndpoint();
  const some = await createEndpoint({ types: ['withdrawal.failed'] });
  const off = await createEndpoint();
  await call('PATCH', `/${off.id}`, { enabled: false });
  startDelivering();
  await makeEvents(1);
  assert.equal((await call('POST', `/${some.id}/test`)).status, 200);
  assert.equal((await call('POST', `/${off.id}/test`)).status, 409);
  await numberAll(harness);
  await arrived(1);
  const typesOf = async (id: string) => (await deliveries(id)).map(({ type }) => type);
  assert.deepEqual(await typesOf(all.id), ['withdrawal.queued']);
  assert.deepEqual(await typesOf(some.id), [], 'the test is not one of its types');
  assert.deepEqual(await typesOf(off.id), []);
  await call('PATCH', `/${some.id}`, { types: null });
  await call('POST', `/${some.id}/test`);
  await numberAll(harness);
  assert.deepEqual(await typesOf(some.id), ['webhook_endpoint.tested']);
  assert.deepEqual(await typesOf(all.id), ['withdrawal.queued']);
});

test('an endpoint of a key receives events of its user’s account, and other keys do not see it', async () => {
  const { key } = world;
  const user = await makeUser(harness);
  await allowUser(harness.operatorContext(), { partnerId: key.partnerId, userId: user.id });
  const other = await issueKey(harness.operatorContext(), {
    name: 'other',
    partnerId: key.partnerId,
    userId: user.id,
  });
  const { id } = await createEndpoint();
  await makeLines(harness, key.userId, [{}]);
  await makeLines(harness, user.id, [{}]);
  await numberAll(harness);
  assert.equal((await deliveries(id)).length, 1);
  for (const [method, path, body] of [
    ['GET', '', undefined],
    ['PATCH', '', { url: world.receiver.url }],
    ['DELETE', '', undefined],
    ['POST', '/rotate-secret', undefined],
    ['POST', '/test', undefined],
    ['POST', '/replay', { missed: true }],
    ['GET', '/deliveries', undefined],
    ['GET', '/deliveries/1', undefined],
  ] as const) {
    const stranger = await makeKey(harness);
    for (const token of [other.token, stranger.token]) {
      const answer = await call(method, `/${id}${path}`, body, token);
      assert.equal(answer.status, 404, `${method} ${path}`);
    }
  }
  assert.deepEqual((await call('GET', '', undefined, other.token)).body.items, []);
});

test('an endpoint for all users is not changed by keys of one user, which see in it what they may read', async () => {
  const { key } = world;
  const user = await makeUser(harness);
  await allowUser(harness.operatorContext(), { partnerId: key.partnerId, userId: user.id });
  await issueKey(harness.operatorContext(), { name: 'other', partnerId: key.partnerId, userId: user.id });
  const created = await harness.operator('webhooks.create', {
    url: world.receiver.url,
    partnerId: key.partnerId,
    allUsers: true,
  });
  assert.equal(created.status, 200, JSON.stringify(created.body));
  const { id } = created.body.data;
  await makeLines(harness, key.userId, [{}]);
  await makeLines(harness, user.id, [{}]);
  await numberAll(harness);
  const all = await harness.operator('webhooks.deliveries', { endpointId: id });
  assert.equal(all.body.data.items.length, 2);
  const own = (await call('GET', `/${id}/deliveries`)).body.items;
  assert.equal(own.length, 1);
  const [foreign] = all.body.data.items.filter((one: { id: string }) => one.id !== own[0].id);
  assert.equal((await call('GET', `/${id}/deliveries/${foreign.id}`)).status, 404);
  assert.equal((await call('PATCH', `/${id}`, { url: world.receiver.url })).status, 403);
  assert.equal((await call('POST', `/${id}/rotate-secret`)).status, 403);
});

test('integrations have endpoints too', async () => {
  const integration = await makeIntegration(harness);
  const headers = { 'x-api-key': integration.token };
  const ask = (method: string, path: string, body?: object) =>
    harness.request(method, `/api/v1/webhooks/endpoints${path}`, { headers, ...(body && { body }) });
  const refused = await ask('POST', '', { url: world.receiver.url, types: ['withdrawal.queued'] });
  assert.equal(refused.status, 400);
  const created = await ask('POST', '', { url: world.receiver.url, types: ['key.rotated'] });
  assert.equal(created.status, 201);
  assert.equal(created.body.integrationId, integration.id);
  await harness.operator('integrations.rotate-key', { integrationId: integration.id });
  await numberAll(harness);
  const list = await ask('GET', `/${created.body.id}/deliveries`);
  assert.deepEqual(
    list.body.items.map(({ type }: { type: string }) => type),
    ['key.rotated'],
  );
});

for (const [url, message] of [
  ['http://example.com/hooks', /^url cannot be called: /],
  ['https://10.0.0.1/hooks', /^url cannot be called: /],
  ['https://localhost/hooks', /^url cannot be called: /],
  ['https://user:hunter2@example.com/', /^url cannot be called: /],
  ['ftp://example.com/', /^url cannot be called: /],
  ['no url', /^url cannot be called: /],
] as const) {
  test(`${url} is refused as an endpoint`, async () => {
    const { status, body } = await call('POST', '', { url });
    assert.equal(status, 400, JSON.stringify(body));
    assert.match(body.error, message);
    assert.ok(!body.error.includes('hunter2'));
  });
}

test('an unknown type is refused with those that exist', async () => {
  const { status, body } = await call('POST', '', { url: world.receiver.url, types: ['withdrawal.paid'] });
  assert.equal(status, 400);
  assert.match(body.error, /unknown type, "withdrawal\.paid": use withdrawal\.queued, /);
});

test('a subscriber has at most 20 endpoints', async () => {
  for (let at = 0; at < 20; at++) await createEndpoint();
  const { status } = await call('POST', '', { url: world.receiver.url });
  assert.equal(status, 409);
});

test('410 disables the endpoint: the owner learns of it, and what was missed can be replayed', async () => {
  const { id } = await createEndpoint();
  const second = await createEndpoint({ types: ['webhook_endpoint.disabled'] });
  world.receiver.answer = ({ event }, response) => {
    const isAlert = event.type === 'webhook_endpoint.disabled';
    response.writeHead(isAlert ? 204 : 410).end();
  };
  startDelivering({ perEndpoint: 1 });
  await makeEvents(3);
  await waitUntil('it is disabled', async () => (await call('GET', `/${id}`)).body.disabledReason === 'gone');
  await numberAll(harness);
  await waitUntil('the other endpoint hears of it', async () =>
    (await deliveries(second.id)).some(({ status }) => status === 'delivered'),
  );
  const feed = await harness.request('GET', '/api/events?types=webhook_endpoint.disabled', {
    token: world.key.token,
  });
  assert.equal(feed.body.events[0].data.object.id, id);
  await makeEvents(2);
  const refused = await call('POST', `/${id}/replay`, { missed: true });
  assert.equal(refused.status, 409);
  world.receiver.answer = (_request, response) => void response.writeHead(200).end('ok');
  world.receiver.received = [];
  const enabled = await call('PATCH', `/${id}`, { enabled: true, replayMissed: true });
  assert.equal(enabled.body.enabled, true);
  await waitUntil(
    'everything is delivered',
    async () => (await deliveries(id)).filter(({ status }) => status === 'delivered').length >= 6,
  );
  const sequences = world.receiver.received.map(({ event }) => event.sequence);
  assert.deepEqual([...new Set(sequences)].sort(), [1, 2, 3, 4, 5, 6]);
  assert.equal(enabled.body.missedAfter, null);
  assert.equal((await call('POST', `/${id}/replay`, { missed: true })).status, 400);
});

test('an endpoint that failed for five days, and never succeeded, is disabled', async () => {
  const { id } = await createEndpoint();
  world.receiver.answer = (_request, response) => void response.writeHead(500).end();
  startDelivering();
  await makeEvents(1);
  const { failingSince } = await (async () => {
    await waitUntil('it fails', async () => (await call('GET', `/${id}`)).body.failingSince !== null);
    return (await call('GET', `/${id}`)).body;
  })();
  assert.ok(failingSince);
  const job = webhookJobs.find(({ name }) => name === 'webhooks.disable-failing')!;
  assert.equal(await job.run(harness.deps), 0);
  await world.deliverer!.stop();
  harness.advance(5 * 86_400_000);
  assert.equal(await job.run(harness.deps), 0, 'nothing was tried for days');
  const before = world.receiver.received.length;
  startDelivering();
  await arrived(before + 1);
  await world.deliverer!.stop();
  assert.equal(await job.run(harness.deps), 1);
  const { body } = await call('GET', `/${id}`);
  assert.equal(body.disabledReason, 'failing');
  assert.equal(body.missedAfter, 0);
});

test('replay sends one event or a period again, under the same ids', async () => {
  const { id } = await createEndpoint();
  startDelivering();
  await makeEvents(3);
  await arrived(3);
  const ids = world.receiver.received.map(({ event }) => event.id);
  const replay = (body: object) => call('POST', `/${id}/replay`, body);
  assert.deepEqual((await replay({ eventId: ids[1] })).body, { queued: 1, nextAfter: null });
  await arrived(4);
  assert.equal(world.receiver.received[3]!.headers['webhook-id'], ids[1]);
  assert.equal(
    (await replay({ startDate: '2020-01-01T00:00:00Z', endDate: '2100-01-01T00:00:00Z' })).body.queued,
    3,
  );
  await arrived(7);
  assert.equal((await replay({ endDate: '2020-01-01T00:00:00Z' })).body.queued, 0);
  assert.equal((await replay({ eventId: 'evt_none' })).status, 404);
  assert.equal((await replay({})).status, 400);
  assert.equal((await replay({ eventId: ids[1], missed: true })).status, 400);
  assert.equal((await replay({ missed: true })).status, 400);
});

test('what is about an account that the partner may no longer read is not sent', async () => {
  const { key } = world;
  const { id } = await createEndpoint();
  const stops = [
    ['partners.disallow-user', 'partners.allow-user'],
    ['users.suspend', 'users.resume'],
  ] as const;
  for (const [stop, resume] of stops) {
    world.receiver.received = [];
    await makeLines(harness, key.userId, [{}]);
    await makeWithdrawal(harness, key);
    await numberAll(harness);
    const input = { userId: key.userId, ...(stop.startsWith('partners') && { partnerId: key.partnerId }) };
    const reason = stop === 'users.suspend' ? { reason: 'A test' } : {};
    assert.equal((await harness.operator(stop, { ...input, ...reason })).status, 200);
    startDelivering();
    await waitUntil('nothing is due', async () =>
      (await deliveries(id)).every(({ status }) => status !== 'due'),
    );
    assert.deepEqual(
      world.receiver.received.map(({ event }) => event.type),
      ['withdrawal.queued'],
      stop,
    );
    await world.deliverer!.stop();
    assert.equal((await harness.operator(resume, input)).status, 200);
  }
  const list = await deliveries(id);
  assert.equal(
    list.filter(({ status, type }) => status === 'canceled' && type === 'ledger.line_posted').length,
    2,
  );
});

test('events about an endpoint of a user are for keys of that user only', async () => {
  const { key } = world;
  const other = await makeKey(harness, { partnerId: key.partnerId });
  const { id } = await createEndpoint();
  await call('POST', `/${id}/test`);
  await harness.operator('webhooks.update', { endpointId: id, enabled: false });
  await numberAll(harness);
  const typesFor = async (token: string) =>
    (await harness.request('GET', '/api/events', { token })).body.events.map(
      ({ type }: { type: string }) => type,
    );
  assert.deepEqual(await typesFor(key.token), ['webhook_endpoint.tested', 'webhook_endpoint.disabled']);
  assert.deepEqual(await typesFor(other.token), []);
});

test('an event that waits already is not queued a second time by a replay', async () => {
  const { id } = await createEndpoint();
  await makeEvents(3);
  const replay = (body: object) => call('POST', `/${id}/replay`, body);
  assert.equal((await replay({ startDate: '2020-01-01T00:00:00Z' })).body.queued, 0);
  startDelivering();
  await arrived(3);
  await waitUntil('all are stored', async () =>
    (await deliveries(id)).every(({ status }) => status === 'delivered'),
  );
  assert.equal((await replay({ startDate: '2020-01-01T00:00:00Z' })).body.queued, 3);
});

test('endpoints that fail hold a quarter of a worker’s room at most, however many they are', async () => {
  const open = new Set<object>();
  let most = 0;
  world.receiver.answer = (request, response) => {
    open.add(request);
    most = Math.max(most, open.size);
    setTimeout(() => {
      open.delete(request);
      response.writeHead(500).end();
    }, 50);
  };
  for (let at = 0; at < 12; at++) await createEndpoint();
  await harness.deps.db.query('update webhook_endpoints set failing_since = now() where deleted_at is null');
  await makeEvents(3);
  startDelivering({ atOnce: 16 });
  await arrived(36);
  assert.ok(most <= 4, `${most} at once`);
});

test('what an endpoint missed before and after the numbers skipped ahead is sent first, in order', async () => {
  const { id } = await createEndpoint({ ordered: true });
  world.receiver.answer = (_request, response) => void response.writeHead(200).end('ok');
  await call('PATCH', `/${id}`, { enabled: false });
  await makeEvents(2);
  const skipped = await harness.operator('events.skip-ahead');
  await makeEvents(2);
  world.receiver.received = [];
  const enabled = await call('PATCH', `/${id}`, { enabled: true, replayMissed: true });
  assert.equal(enabled.body.missedAfter, null);
  startDelivering();
  await waitUntil(
    'everything is delivered',
    async () => (await deliveries(id)).filter(({ status }) => status === 'delivered').length >= 4,
  );
  const after = skipped.body.data.continuesAfter;
  const sequences = world.receiver.received.map(({ event }) => event.sequence);
  assert.deepEqual(sequences.slice(-2), [after + 1, after + 2]);
  assert.ok(sequences[0]! < after && sequences[1]! < after);
});
