import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { recordEvent } from '#features/events';
import { makeIntegration } from '#test/data/factories';
import { numberAll } from '#test/database/number-events';
import { noteSecret } from '#test/harness';
import { waitUntil } from '#test/wait-until';
import { useWebhooks } from '#test/worlds/webhook';
import { webhookJobs } from './jobs.ts';

const { world, call, createEndpoint, makeSteps, startDelivering, arrived, allAre, deliveries, drain } =
  useWebhooks();
const { harness } = world;
const statusesOf = async (id: string) => (await deliveries(id)).map(({ status }) => status);
const runJob = (name: string) => webhookJobs.find((job) => job.name === name)!.run(harness.deps);
const ok = (_request: unknown, response: { writeHead(status: number): { end(): unknown } }) =>
  void response.writeHead(204).end();

test('a suspended partner receives nothing until it is resumed', async () => {
  const { id } = await createEndpoint();
  const { partnerId } = world.key;
  await harness.operator('partners.suspend', { partnerId, reason: 'a test' });
  await makeSteps(['one', 'two']);
  const deliverer = startDelivering();
  deliverer.wake();
  await sleep(300);
  assert.equal(world.receiver.received.length, 0);
  assert.deepEqual(await statusesOf(id), ['due', 'due']);
  await harness.operator('partners.resume', { partnerId });
  await allAre('delivered', id, 2);
});

test('a revoked integration receives nothing more', async () => {
  const { id: integrationId, token } = await makeIntegration(harness);
  const { url } = world.receiver;
  const { body } = await harness.request('POST', '/api/v1/webhooks/endpoints', {
    headers: { 'x-api-key': token },
    body: { url },
  });
  noteSecret(body.secret.slice('whsec_'.length));
  const { db, clock } = harness.deps;
  const record = async () => {
    const event = { type: 'key.rotated', resource: 'key:1', integrationId, facts: { id: '1' } };
    await recordEvent({ db, now: clock() }, event);
    await numberAll(harness);
  };
  await record();
  await harness.operator('integrations.revoke', { integrationId });
  await record();
  startDelivering();
  await sleep(300);
  assert.equal(world.receiver.received.length, 0);
  assert.ok(Number(await runJob('webhooks.cancel')) >= 1);
  for (const { status } of await deliveries(body.id)) assert.equal(status, 'canceled');
});

for (const [name, end] of [
  ['deleted', (id: string) => call('DELETE', `/${id}`)],
  ['disabled', (id: string) => call('PATCH', `/${id}`, { enabled: false })],
] as const) {
  test(`an endpoint that is ${name} while deliveries are being sent gets nothing more`, async () => {
    const { id } = await createEndpoint();
    const answers: (() => void)[] = [];
    world.receiver.answer = (_request, response) => void answers.push(() => response.writeHead(204).end());
    startDelivering({ perEndpoint: 2 });
    await makeSteps(['a', 'b', 'c', 'd']);
    await arrived(2);
    assert.equal((await end(id)).status, 200);
    for (const answer of answers) answer();
    const stored = () =>
      harness.deps.db.query(
        'select status, count(*)::integer as count from webhook_deliveries where endpoint_id = $1 group by 1 order by 1',
        [id],
      );
    await waitUntil('what arrived is stored', async () => {
      await runJob('webhooks.cancel');
      const counts = await stored();
      return counts.length === 2 && counts.some(({ status, count }) => status === 'delivered' && count === 2);
    });
    assert.deepEqual(await stored(), [
      { status: 'canceled', count: 2 },
      { status: 'delivered', count: 2 },
    ]);
    await makeSteps(['e']);
    await sleep(200);
    assert.equal(world.receiver.received.length, 2);
  });
}

test('an event that is numbered while its endpoint is deleted leaves nothing that is due', async () => {
  for (let at = 0; at < 30; at++) {
    const { id: endpointId } = await createEndpoint();
    const deleted = (async () => {
      await sleep(at % 10);
      return harness.operator('webhooks.delete', { endpointId });
    })();
    await Promise.all([makeSteps(['a', 'b']), deleted]);
    await runJob('webhooks.cancel');
    const [row] = await harness.deps.db.query(
      `select count(*)::integer as count from webhook_deliveries where endpoint_id = $1 and status = 'due'`,
      [endpointId],
    );
    assert.equal(row!.count, 0);
  }
});

test('endpoints are disabled and enabled while three workers store successes and failures: no deadlock, nothing lost', async () => {
  const ids: string[] = [];
  for (let at = 0; at < 4; at++) ids.push((await createEndpoint()).id);
  world.receiver.answer = (_request, response) =>
    void setTimeout(() => response.writeHead(Math.random() < 0.5 ? 500 : 204).end(), Math.random() * 5);
  for (let at = 0; at < 3; at++) startDelivering({ everyMs: 10 });
  for (let round = 0; round < 15; round++) {
    const toggles = ids.map((endpointId) =>
      harness.operator('webhooks.update', {
        endpointId,
        ...(round % 2 === 0 ? { enabled: false } : { enabled: true, replayMissed: true }),
      }),
    );
    const steps = makeSteps(Array.from({ length: 10 }, (_, at) => `r${at}`));
    for (const { status, body } of await Promise.all(toggles)) assert.equal(status, 200, body.error);
    await steps;
  }
  for (const endpointId of ids)
    await harness.operator('webhooks.update', { endpointId, enabled: true, replayMissed: true });
  world.receiver.answer = ok;
  await drain();
  const [deadlocks] = await harness.deps.db.query(
    'select deadlocks::integer as count from pg_stat_database where datname = current_database()',
  );
  assert.equal(deadlocks!.count, 0);
  const sequences = new Set(world.receiver.received.map(({ event }) => event.sequence));
  const { body } = await harness.request('GET', '/api/events?limit=1000', { token: world.key.token });
  const expected = body.events.filter(({ type }: { type: string }) => type === 'key.rotated');
  assert.equal(expected.length, 150);
  for (const { sequence } of expected) assert.ok(sequences.has(sequence), String(sequence));
});

test('a 410 of an address that was replaced meanwhile does not disable the endpoint', async () => {
  const { id } = await createEndpoint();
  let answer = () => {};
  world.receiver.answer = (_request, response) => {
    answer = () => void response.writeHead(410).end();
  };
  startDelivering();
  await makeSteps(['one']);
  await arrived(1);
  await call('PATCH', `/${id}`, { url: `${world.receiver.url}/new` });
  world.receiver.answer = ok;
  answer();
  await drain();
  assert.deepEqual(await statusesOf(id), ['delivered']);
  assert.equal((await call('GET', `/${id}`)).body.enabled, true);
  assert.equal(world.receiver.received[1]!.path, '/hooks/new');
});

test('another address begins without a history of failures', async () => {
  const { id } = await createEndpoint();
  world.receiver.answer = (_request, response) => void response.writeHead(500).end();
  startDelivering();
  await makeSteps(['one']);
  await waitUntil('it fails', async () => (await call('GET', `/${id}`)).body.failingSince !== null);
  const { body } = await call('PATCH', `/${id}`, { url: `${world.receiver.url}/new` });
  assert.equal(body.failingSince, null);
});

test('what an endpoint missed is known until it is sent again, also after it was disabled twice', async () => {
  const { id } = await createEndpoint();
  const turn = (enabled: boolean) => call('PATCH', `/${id}`, { enabled });
  await makeSteps(['a']);
  startDelivering();
  await arrived(1);
  await allAre('delivered', id, 1);
  await turn(false);
  await makeSteps(['b']);
  await turn(true);
  await makeSteps(['c']);
  await arrived(2);
  await allAre('delivered', id, 2);
  assert.equal((await turn(false)).body.missedAfter, 1);
  await makeSteps(['d']);
  const enabled = await turn(true);
  assert.equal(enabled.body.missedAfter, 1);
  const replayed = await call('POST', `/${id}/replay`, { missed: true });
  assert.deepEqual(replayed.body, { queued: 2, nextAfter: null });
  await allAre('delivered', id, 4);
  assert.equal((await call('GET', `/${id}`)).body.missedAfter, null);
  const ids = world.receiver.received.map(({ event }) => event.data.object.id);
  assert.deepEqual(ids, ['a', 'c', 'b', 'd']);
});

test('deliveries are deleted 30 days after they were made, with their attempts, unless they are due', async () => {
  const { id } = await createEndpoint();
  const waiting = await createEndpoint({ url: 'https://hooks.example.com/' });
  startDelivering();
  await makeSteps(['one']);
  await allAre('delivered', id, 1);
  await world.deliverer!.stop();
  harness.advance(29 * 86_400_000);
  await runJob('webhooks.sweep');
  assert.equal((await deliveries(id)).length, 1);
  harness.advance(86_400_000 + 60_000);
  while (Number(await runJob('webhooks.sweep')) > 0);
  assert.equal((await deliveries(id)).length, 0);
  assert.deepEqual(await statusesOf(waiting.id), ['due']);
  const [row] = await harness.deps.db.query(
    `select count(*)::integer as count from webhook_attempts a
     where not exists (select from webhook_deliveries d where d.id = a.delivery_id)`,
  );
  assert.equal(row!.count, 0);
});

test('a deleted endpoint and its secret are gone after 30 days, once it has no deliveries left', async () => {
  const { id } = await createEndpoint();
  const kept = await createEndpoint();
  startDelivering();
  await makeSteps(['one']);
  await allAre('delivered', id, 1);
  await world.deliverer!.stop();
  await call('DELETE', `/${id}`);
  const exists = async (endpointId: string) =>
    (await harness.deps.db.query('select from webhook_endpoints where id = $1', [endpointId])).length === 1;
  harness.advance(29 * 86_400_000);
  await runJob('webhooks.sweep-endpoints');
  assert.equal(await exists(id), true);
  harness.advance(86_400_000 + 60_000);
  await runJob('webhooks.sweep-endpoints');
  assert.equal(await exists(id), true, 'its deliveries are not swept yet');
  while (Number(await runJob('webhooks.sweep')) > 0);
  await runJob('webhooks.sweep-endpoints');
  assert.deepEqual([await exists(id), await exists(kept.id)], [false, true]);
});

test('lists have the oldest first, and an operator sees endpoints of users in the list of a partner', async () => {
  const made = [];
  for (let at = 0; at < 4; at++) made.push((await createEndpoint()).id);
  const { body } = await call('GET', '?limit=3');
  const rest = await call('GET', `?limit=3&cursor=${body.nextCursor}`);
  const listed = [...body.items, ...rest.body.items].map(({ id }: { id: string }) => id);
  assert.deepEqual(listed, made);
  const { partnerId } = world.key;
  const seen = (await harness.operator('webhooks.list', { partnerId })).body.data.items;
  assert.deepEqual(
    seen.map(({ id }: { id: string }) => id),
    made,
  );
});
