import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import type { Received, Receiver } from '#test/outside/webhook-receiver';
import { waitUntil } from '#test/wait-until';
import { useWebhooks } from '#test/worlds/webhook';

const { world, call, createEndpoint, makeSteps, startDelivering, arrived, drain, deliveries } = useWebhooks();
const { harness } = world;

const resourceOf = ({ event }: Received): string => event.data.object.id;

/** The events of each resource, by first arrival. */
const firstArrivals = ({ received }: Receiver) => {
  const seen = new Set<string>();
  const first = received.filter(({ event }) => !seen.has(event.id) && seen.add(event.id));
  return Map.groupBy(first, resourceOf);
};

/** Fails 30 % of the requests, at most five times for one event, and takes up to 20 ms. */
function beUnreliable(receiver: Receiver) {
  const failures = new Map<string, number>();
  const open = new Map<string, number>();
  const most = { perResource: 0 };
  receiver.answer = (request, response) => {
    const { id } = request.event;
    const resource = resourceOf(request);
    open.set(resource, (open.get(resource) ?? 0) + 1);
    most.perResource = Math.max(most.perResource, open.get(resource)!);
    const failed = failures.get(id) ?? 0;
    const isFailing = failed < 5 && Math.random() < 0.3;
    if (isFailing) failures.set(id, failed + 1);
    setTimeout(() => {
      open.set(resource, open.get(resource)! - 1);
      response.writeHead(isFailing ? 500 : 204).end();
    }, Math.random() * 20);
  };
  return { failures, most };
}

test('in ordered mode no resource’s events arrive inverted, with three workers and a receiver that fails', async () => {
  const { id } = await createEndpoint({ ordered: true });
  const { failures, most } = beUnreliable(world.receiver);
  for (let at = 0; at < 3; at++) startDelivering({ everyMs: 10 });
  const resources = Array.from({ length: 20 }, (_, at) => `r${at}`);
  // Some while others are being sent.
  for (let round = 0; round < 10; round++) await makeSteps(resources);
  await drain();
  const arrivals = firstArrivals(world.receiver);
  assert.equal(arrivals.size, resources.length);
  for (const [resource, all] of arrivals) {
    const sequences = all.map(({ event }) => event.sequence);
    assert.equal(sequences.length, 10);
    assert.deepEqual(
      sequences,
      sequences.toSorted((one, other) => one - other),
      resource,
    );
  }
  assert.equal(most.perResource, 1);
  assert.ok(failures.size > 10, 'the receiver failed');
  assert.ok((await deliveries(id)).every(({ status }) => status === 'delivered'));
});

test('in ordered mode a resource that fails holds back its own events only', async () => {
  await createEndpoint({ ordered: true });
  world.receiver.answer = (request, response) =>
    void response.writeHead(resourceOf(request) === 'stuck' ? 500 : 204).end();
  startDelivering();
  await makeSteps(['stuck', 'free', 'stuck', 'free', 'stuck', 'free']);
  await waitUntil(
    'the others arrive',
    () => world.receiver.received.filter((one) => resourceOf(one) === 'free').length === 3,
  );
  const stuck = () => world.receiver.received.filter((one) => resourceOf(one) === 'stuck');
  await waitUntil('it is tried', () => stuck().length > 0);
  assert.deepEqual([...new Set(stuck().map(({ event }) => event.sequence))], [1]);
  // What comes while it waits is not sent before it either.
  await makeSteps(['stuck', 'free']);
  await waitUntil('the other one arrives', () => world.receiver.received.length >= 5);
  assert.deepEqual([...new Set(stuck().map(({ event }) => event.sequence))], [1]);
  world.receiver.answer = (_request, response) => void response.writeHead(204).end();
  await drain();
  const sequences = firstArrivals(world.receiver)
    .get('stuck')!
    .map(({ event }) => event.sequence);
  assert.deepEqual(sequences, [1, 3, 5, 7]);
});

test('in ordered mode the next event of a resource is sent when one is given up', async () => {
  const { id } = await createEndpoint({ ordered: true });
  let bad: string | undefined;
  world.receiver.answer = ({ event }, response) => {
    bad ??= event.id;
    response.writeHead(event.id === bad ? 500 : 204).end();
  };
  startDelivering();
  await makeSteps(['one', 'one', 'one']);
  await drain();
  const byId = (await deliveries(id)).toReversed();
  assert.deepEqual(
    byId.map(({ status, attempts }) => [status, attempts]),
    [
      ['failed', 10],
      ['delivered', 1],
      ['delivered', 1],
    ],
  );
});

test('in ordered mode an event of a long queue changes no more rows than one of a short queue', async () => {
  const { db } = world.harness.deps;
  await createEndpoint({ ordered: true });
  await makeSteps(Array.from({ length: 150 }, () => 'one'));
  await db.query('create sequence changed_rows');
  await db.query(`create function count_change() returns trigger language plpgsql
    as $$ begin perform nextval('changed_rows'); return null; end $$`);
  await db.query(`create trigger count_change after update on webhook_deliveries
    for each row execute function count_change()`);
  startDelivering();
  await drain();
  await db.query('drop trigger count_change on webhook_deliveries');
  const [row] = await db.query<{ changes: bigint }>('select last_value as changes from changed_rows');
  // Claimed, ended, and the next one made due.
  assert.ok(row!.changes <= 4n * 150n, `${row!.changes} rows changed`);
});

test('an endpoint that becomes ordered sends what waits in order from then on', async () => {
  const { id } = await createEndpoint();
  await makeSteps(Array.from({ length: 30 }, (_, at) => `r${at % 3}`));
  assert.equal((await call('PATCH', `/${id}`, { ordered: true })).status, 200);
  const { most } = beUnreliable(world.receiver);
  startDelivering();
  startDelivering();
  await drain();
  for (const [resource, all] of firstArrivals(world.receiver)) {
    const sequences = all.map(({ event }) => event.sequence);
    assert.deepEqual(
      sequences,
      sequences.toSorted((one, other) => one - other),
      resource,
    );
  }
  assert.equal(most.perResource, 1);
});

test('in parallel mode a worker has at most so many connections to one endpoint, and uses them', async () => {
  await createEndpoint();
  let open = 0;
  let most = 0;
  world.receiver.answer = (_request, response) => {
    open += 1;
    most = Math.max(most, open);
    setTimeout(() => {
      open -= 1;
      response.writeHead(204).end();
    }, 20);
  };
  await makeSteps(Array.from({ length: 60 }, () => 'one'));
  startDelivering({ perEndpoint: 4 });
  await arrived(60);
  assert.equal(most, 4);
});

test('a connection is free for the next delivery when the answer is there, also if it is not stored', async (t) => {
  const { id } = await createEndpoint();
  await makeSteps(['a', 'b', 'c', 'd', 'e']);
  const other = new pg.Client({ connectionString: harness.databaseUrl });
  t.after(() => other.end());
  await other.connect();
  await other.query('begin');
  await other.query('lock table webhook_attempts in share mode');
  startDelivering({ perEndpoint: 2, everyMs: 3_600_000 });
  await waitUntil('all arrive', () => world.receiver.received.length === 5, 20_000);
  assert.ok((await deliveries(id)).every(({ status }) => status === 'due'));
  await other.query('rollback');
  await waitUntil('all are stored', async () =>
    (await deliveries(id)).every(({ status, attempts }) => status === 'delivered' && attempts === 1),
  );
});

test('a worker that is full takes the next delivery when one has ended', async () => {
  await createEndpoint();
  await makeSteps(['a', 'b', 'c', 'd', 'e']);
  // Nothing but the end of a delivery can wake it.
  startDelivering({ atOnce: 1, everyMs: 3_600_000 });
  await waitUntil('all arrive', () => world.receiver.received.length === 5, 20_000);
});

test('an endpoint that fails has two connections, until it succeeds', async () => {
  await createEndpoint();
  let open = 0;
  let most = 0;
  let isFailing = true;
  world.receiver.answer = (_request, response) => {
    open += 1;
    most = Math.max(most, open);
    setTimeout(() => {
      open -= 1;
      response.writeHead(isFailing ? 500 : 204).end();
    }, 20);
  };
  startDelivering({ perEndpoint: 6 });
  await makeSteps(['first']);
  await arrived(1);
  await waitUntil('it is failing', async () => {
    const { body } = await call('GET', '');
    return body.items[0].failingSince !== null;
  });
  await makeSteps(Array.from({ length: 30 }, () => 'one'));
  await arrived(31);
  assert.equal(most, 2);
  isFailing = false;
  await makeSteps(Array.from({ length: 60 }, () => 'one'));
  await drain();
  assert.equal(most, 6);
});
