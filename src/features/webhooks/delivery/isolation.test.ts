import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Db } from '#platform/db/db';
import { countRowsRead } from '#test/database/rows-read';
import { waitUntil } from '#test/wait-until';
import { useWebhooks } from '#test/worlds/webhook';
import { type Attempt, type ClaimedDelivery, claimDeliveries, recordAttempts } from '../queries/claims.ts';
import { cancelUnwanted } from '../queries/deliveries.ts';
import { selectEndpoint } from '../queries/endpoints.ts';

const { world, createEndpoint, makeSteps, startDelivering, arrived, deliveries, addReceiver } = useWebhooks();
const { harness } = world;

const idle = new Map<string, number>();
const claim = (inHand = idle, perEndpoint = 10) => {
  const now = harness.deps.clock();
  return { now, until: new Date(now.getTime() + 40_000), perEndpoint, inHand, limit: 256, failingLimit: 64 };
};

/** Deliveries that stay due, without events. */
const queue = (endpointId: string, count: number, { resource = `'r' || n`, dueIn = '0 s' } = {}) =>
  harness.deps.db.query(
    `insert into webhook_deliveries (endpoint_id, stream_id, sequence, resource, due_at, created_at)
     select $1, e.stream_id, 1000000 + n, ${resource}, now() - interval '1 h' + $3::interval, now()
     from generate_series(1, $2::integer) n, webhook_endpoints e where e.id = $1`,
    [endpointId, count, dueIn],
  );

const analyze = () =>
  harness.deps.db.query('analyze webhook_deliveries, webhook_endpoints, events, event_streams');

/** Of deliveries that were claimed, as attempts that failed. */
const failedAttempts = (claimed: readonly ClaimedDelivery[]): Attempt[] =>
  claimed.map(({ id, claimedUntil, url }) => ({
    deliveryId: id,
    claimedUntil,
    url,
    startedAt: harness.deps.clock(),
    durationMs: 1,
    status: 500,
    error: 'The endpoint answered 500.',
    answer: '',
    retryMs: 5_000,
    outcome: 'failed',
  }));

const disableBySql = (db: Db, id: string) =>
  db.query(
    `update webhook_endpoints set disabled_at = now(), disabled_reason = 'owner', resume_after = 0 where id = $1`,
    [id],
  );

/** First, while the table is small: only then did the planner read more. */
for (const ordered of [false, true]) {
  const kind = ordered ? 'an ordered' : 'a parallel';
  test(`storing outcomes of ${kind} endpoint reads few rows beside 20,000 deliveries that the statistics miss`, async () => {
    const { db, clock } = harness.deps;
    const { id } = await createEndpoint({ ordered });
    const dead = await createEndpoint({ url: 'https://dead.example.com/' });
    await queue(dead.id, 5_000);
    await disableBySql(db, dead.id);
    while ((await cancelUnwanted(db, clock(), 5_000)) > 0);
    await makeSteps(['a', 'a', 'b']);
    await analyze();
    await queue(id, 20_000, { resource: `'other' || n` });
    const claimed = (await claimDeliveries(db, claim())).slice(0, ordered ? 2 : 3);
    const store = (db: Db) => recordAttempts(db, failedAttempts(claimed), clock());
    const rows = await countRowsRead(db, store, { once: true });
    assert.ok(rows < 200, `${rows} rows`);
    const stored = (await deliveries(id)).filter(({ attempts }) => attempts === 1);
    assert.equal(stored.length, claimed.length);
  });
}

test('endpoints that hang, fail or answer byte by byte do not delay another one', async () => {
  const [hanging, failing, dripping] = [await addReceiver(), await addReceiver(), await addReceiver()];
  hanging.answer = () => undefined;
  failing.answer = (_request, response) => void response.writeHead(500).end();
  dripping.answer = (_request, response) => {
    response.writeHead(200);
    const timer = setInterval(() => response.write('.'), 1_000);
    response.on('close', () => clearInterval(timer));
  };
  const bad = [];
  for (const { url } of [hanging, failing, dripping]) bad.push(await createEndpoint({ url }));
  const good = await createEndpoint();
  const count = 120;
  await makeSteps(Array.from({ length: count }, (_, at) => `r${at}`));
  // A timeout that never comes: whatever waited for a bad endpoint would wait for ever.
  startDelivering({ timeoutMs: 600_000, claimMs: 700_000 });
  await arrived(count);
  await waitUntil('all are stored', async () =>
    (await deliveries(good.id)).every(({ status }) => status === 'delivered'),
  );
  const attemptsOf = async ({ id }: { id: string }) =>
    (await deliveries(id)).reduce((sum, { attempts }) => sum + attempts, 0);
  assert.equal(await attemptsOf(bad[0]!), 0);
  assert.equal(await attemptsOf(bad[2]!), 0);
  assert.equal(hanging.received.length, 10);
  assert.equal(dripping.received.length, 10);
  for (const receiver of [hanging, failing, dripping]) await receiver.stop();
});

for (const [name, fields, options] of [
  ['100,000 due deliveries of an endpoint whose connections hang', {}, {}],
  ['100,000 retries that are not due yet', {}, { dueIn: '10 h' }],
  ['100,000 due deliveries of an ordered endpoint', { ordered: true }, {}],
] as const) {
  test(`claiming for others reads few rows beside ${name}`, async () => {
    const dead = await createEndpoint({ url: 'https://dead.example.com/', ...fields });
    const others = [];
    for (let at = 0; at < 5; at++) others.push(await createEndpoint());
    await makeSteps(['a', 'b']);
    await queue(dead.id, 100_000, options);
    await analyze();
    const inHand = 'dueIn' in options ? idle : new Map([[dead.id, 10]]);
    const rows = await countRowsRead(harness.deps.db, (db) => claimDeliveries(db, claim(inHand)));
    const claimed = await deliveries(others[0]!.id);
    assert.equal(claimed.length, 2);
    assert.ok(rows < 5_000, `${rows} rows`);
  });
}

test('two workers that claim at the same time never get the same delivery', async () => {
  await createEndpoint();
  await createEndpoint({ ordered: true });
  await makeSteps(Array.from({ length: 100 }, (_, at) => `r${at % 10}`));
  const all = await Promise.all(
    Array.from({ length: 12 }, () => claimDeliveries(harness.deps.db, claim(idle, 15))),
  );
  const ids = all.flat().map(({ id }) => String(id));
  assert.equal(new Set(ids).size, ids.length);
  // Of the ordered one, one of each resource.
  assert.equal(ids.length, 110);
});

/** Until so many sessions wait for a lock. */
const waiters = (count: number) =>
  waitUntil(`${count} wait`, async () => {
    const [row] = await harness.deps.db.query(
      `select count(*)::integer as count from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock'`,
    );
    return row!.count === count;
  });

test('outcomes that are stored while the endpoint is disabled do not deadlock with it', async () => {
  const { db, clock } = harness.deps;
  const { id } = await createEndpoint();
  await makeSteps(['a', 'b', 'c']);
  const claimed = await claimDeliveries(db, claim());
  let storing: Promise<void> | undefined;
  await db.transaction(async (tx) => {
    await selectEndpoint(tx, undefined, id, 'for no key update of e');
    storing = recordAttempts(db, failedAttempts(claimed), clock());
    await waiters(1);
    await disableBySql(tx, id);
    assert.equal(await cancelUnwanted(tx, clock(), 100), 3);
  });
  await storing;
  assert.deepEqual(
    (await deliveries(id)).map(({ status, attempts }) => [status, attempts]),
    Array(3).fill(['canceled', 0]),
  );
});

test('outcomes in any order are stored while deliveries are canceled, without a deadlock', async () => {
  const { db, clock } = harness.deps;
  const { id } = await createEndpoint();
  // The endpoint is failing already, so that its row is not locked.
  await db.query('update webhook_endpoints set failing_since = now() where id = $1', [id]);
  await makeSteps(['a', 'b', 'c']);
  const now = clock();
  const until = new Date(now.getTime() + 40_000);
  const claimed: ClaimedDelivery[] = [];
  while (claimed.length < 3)
    claimed.push(
      ...(await claimDeliveries(db, { now, until, perEndpoint: 3, inHand: idle, limit: 3, failingLimit: 3 })),
    );
  const [last, middle, first] = claimed.toSorted((one, other) => Number(other.id - one.id));
  let storing: Promise<void> | undefined;
  await db.transaction(async (tx) => {
    await tx.query('select from webhook_deliveries where id = $1 for update', [middle!.id]);
    storing = recordAttempts(db, failedAttempts([last!, middle!, first!]), now);
    await waiters(1);
    await disableBySql(db, id);
    // What others hold is left for the next turn.
    assert.equal(await cancelUnwanted(db, now, 100), 1);
  });
  await storing;
  assert.equal(await cancelUnwanted(db, now, 100), 2);
  assert.deepEqual(
    (await deliveries(id)).map(({ status, attempts }) => [status, attempts]),
    [
      ['canceled', 0],
      ['canceled', 1],
      ['canceled', 1],
    ],
  );
});
