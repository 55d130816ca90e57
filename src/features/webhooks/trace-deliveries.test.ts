import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeWithdrawal } from '#test/data/factories';
import { numberAll } from '#test/database/number-events';
import { countRowsRead } from '#test/database/rows-read';
import { waitUntil } from '#test/wait-until';
import { useWebhooks } from '#test/worlds/webhook';
import { selectDeliveriesAbout } from './queries/deliveries.ts';

const { world, createEndpoint, startDelivering } = useWebhooks();
const { harness } = world;

async function pay(): Promise<string> {
  const withdrawalId = await makeWithdrawal(harness, world.key);
  await numberAll(harness);
  const { body } = await harness.operator('withdrawals.show', { withdrawalId });
  return body.data.id;
}

const trace = async (withdrawalId: string) =>
  (await harness.operator('webhooks.trace', { withdrawalId })).body.data.items;

test('200 webhooks.trace: deliveries about a withdrawal, with what was answered last', async () => {
  const { id: endpointId } = await createEndpoint();
  startDelivering();
  const [id, other] = [await pay(), await pay()];
  for (const one of [id, other])
    await waitUntil('the delivery', async () => (await trace(one))[0]?.status === 'delivered');
  const [delivery, ...more] = await trace(id);
  assert.deepEqual(more, []);
  const { type, lastStatus, lastError, attempts, url } = delivery;
  assert.deepEqual(
    [type, lastStatus, lastError, attempts, url, delivery.endpointId],
    ['withdrawal.queued', 204, null, 1, world.receiver.url, endpointId],
  );
  assert.ok(delivery.lastDurationMs >= 0 && delivery.lastAttemptAt !== null);
  assert.notEqual((await trace(other))[0].eventId, delivery.eventId);
  assert.deepEqual(await trace(crypto.randomUUID()), []);
  const { body } = await harness.operator('webhooks.deliveries', { endpointId });
  assert.deepEqual(
    body.data.items.map((one: { lastStatus: number }) => one.lastStatus),
    [204, 204],
  );
});

test('200 webhooks.list: by state or id, with how many deliveries wait', async () => {
  const { id: endpointId } = await createEndpoint();
  const { id: failing } = await createEndpoint();
  await pay();
  const { db } = harness.deps;
  await db.query('update webhook_endpoints set failing_since = now() where id = $1', [failing]);
  const list = async (filter: object) =>
    (await harness.operator('webhooks.list', filter)).body.data.items.map(
      ({ id, waiting }: { id: string; waiting: number }) => [id, waiting],
    );
  assert.deepEqual(await list({ state: 'failing' }), [[failing, 1]]);
  assert.deepEqual(await list({ state: 'working' }), [[endpointId, 1]]);
  assert.deepEqual(await list({ state: 'disabled' }), []);
  assert.deepEqual(await list({ endpointId }), [[endpointId, 1]]);
});

test('a trace reads few rows beside 100,000 deliveries', async () => {
  const { id: endpointId } = await createEndpoint();
  const id = await pay();
  const { db } = harness.deps;
  await db.query(
    `with past as (
       insert into events (stream_id, sequence, id, type, resource, recorded_at, numbered_at, body)
       select e.stream_id, 1000 + n, 'evt_past' || n, 'withdrawal.queued', 'withdrawal:' || n, now(), now(), '{}'
       from generate_series(1, 100000) n, webhook_endpoints e where e.id = $1 returning stream_id, sequence, resource)
     insert into webhook_deliveries (endpoint_id, stream_id, sequence, resource, status, due_at, created_at, ended_at)
     select $1, stream_id, sequence, resource, 'delivered', now(), now(), now() from past`,
    [endpointId],
  );
  await db.query('analyze events, webhook_deliveries, webhook_endpoints, webhook_attempts');
  const rows = await countRowsRead(db, (db) => selectDeliveriesAbout(db, `withdrawal:${id}`, 200));
  assert.equal((await trace(id)).length, 1);
  // Of 100,001 events and deliveries. PostgreSQL may read all of the few endpoints.
  assert.ok(rows > 0 && rows <= 50, `${rows} rows were read`);
});
