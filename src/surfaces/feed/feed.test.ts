import assert from 'node:assert/strict';
import { after, type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type IssuedKey, revokeKey } from '#features/keys';
import { createMetrics } from '#platform/observe/metrics';
import { runKeyBattery } from '#test/callers/battery';
import { makeIntegration, makeKey, makeLines, makeWithdrawal } from '#test/data/factories';
import { numberAll } from '#test/database/number-events';
import { networksWithoutNodes, testConfig, useHarness } from '#test/harness';
import { waitUntil } from '#test/wait-until';
import { buildApp } from '../../app.ts';
import { readFeed } from './read-feed.ts';
import { WaitingRoom } from './waiting-room.ts';

const harness = useHarness({ networks: networksWithoutNodes() });

const ask = ({ token }: IssuedKey, query = '') => harness.request('GET', `/api/events${query}`, { token });

runKeyBattery(harness, {
  title: 'GET /api/events',
  call: (options) => harness.request('GET', '/api/events', options),
  refusals: {
    missing: { status: 401, error: 'Unauthorized' },
    invalid: { status: 401, error: 'Unauthorized' },
    address: { status: 403, error: 'Forbidden: caller address is not on the allowlist of the key' },
  },
});

/** Returns a function that waits until the next request waits for events. */
function watchRoom(t: TestContext): () => Promise<void> {
  const { mock } = t.mock.method(WaitingRoom.prototype, 'enter');
  return () => waitUntil('a request waits', () => mock.callCount() > 0);
}

test('types filter events, and what is left out is behind the reader', async () => {
  const key = await makeKey(harness);
  await makeLines(harness, key.userId, [{}, {}]);
  await makeWithdrawal(harness, key);
  await makeLines(harness, key.userId, [{}]);
  await numberAll(harness);
  const { body } = await ask(key, '?types=withdrawal.queued,withdrawal.failed');
  assert.deepEqual(
    body.events.map(({ type, sequence }: { type: string; sequence: number }) => [type, sequence]),
    [['withdrawal.queued', 3]],
  );
  assert.equal(body.next, 4);
  const page = await ask(key, '?limit=2');
  assert.equal(page.body.events.length, 2);
  assert.equal(page.body.next, 2);
  assert.equal((await ask(key, '?after=2&limit=2')).body.next, 4);
  assert.equal(page.headers.get('cache-control'), 'no-store');
  assert.match(page.headers.get('content-type')!, /^application\/json/);
});

for (const [query, message] of [
  ['?types=withdrawal.paid', 'types has an unknown type: "withdrawal.paid"'],
  ['?types=consent.granted', 'types has an unknown type: "consent.granted"'],
  ['?after=-1', 'after must be >= 0'],
  ['?after=01', /^after must be integer/],
  ['?limit=0', 'limit must be >= 1'],
  ['?limit=1001', 'limit must be <= 1000'],
  ['?wait=26', 'wait must be <= 25'],
  ['?page=1', /page/],
] as const) {
  test(`${query} is refused`, async () => {
    const { status, body } = await ask(await makeKey(harness), query);
    assert.equal(status, 400);
    if (typeof message === 'string') assert.equal(body.error, message);
    else assert.match(body.error, message);
  });
}

test('keys of partners and of integrations read their own feeds only', async () => {
  const key = await makeKey(harness);
  const integration = await makeIntegration(harness);
  const status = async (path: string, headers: Record<string, string>) =>
    (await harness.request('GET', path, { headers })).status;
  assert.equal(await status('/api/events', {}), 401);
  assert.equal(await status('/api/events', { authorization: `Bearer ${integration.token}` }), 401);
  assert.equal(await status('/api/events', { 'x-api-key': integration.token }), 401);
  assert.equal(await status('/api/v1/events', { 'x-api-key': key.token }), 401);
  assert.equal(await status('/api/v1/events', { 'x-api-key': integration.token }), 200);
});

test('a waiting request is answered as soon as its partner has an event, and not for others', async (t) => {
  const [key, other] = [await makeKey(harness), await makeKey(harness)];
  const isWaiting = watchRoom(t);
  const waiting = ask(key, '?wait=20');
  let isAnswered = false;
  void waiting.then(() => {
    isAnswered = true;
  });
  await isWaiting();
  await makeWithdrawal(harness, other);
  await numberAll(harness);
  await sleep(300);
  assert.equal(isAnswered, false);
  await makeWithdrawal(harness, key);
  await numberAll(harness);
  const woken = performance.now();
  const { status, body } = await waiting;
  assert.equal(status, 200);
  assert.deepEqual([body.events.length, body.next], [1, 1]);
  assert.ok(performance.now() - woken < 2_500, 'before the reader would have looked again');
});

test('a request that waits in vain is answered with nothing, and the number to read after', async () => {
  const key = await makeKey(harness);
  await makeWithdrawal(harness, key);
  await numberAll(harness);
  const begun = performance.now();
  const { status, body } = await ask(key, '?after=1&wait=1');
  assert.deepEqual([status, body], [200, { events: [], next: 1 }]);
  assert.ok(performance.now() - begun >= 990);
});

test('a server that stops answers the requests that wait', async (t) => {
  const key = await makeKey(harness);
  const deps = { ...harness.deps, metrics: createMetrics() };
  const second = await buildApp(deps, { ...testConfig(harness.databaseUrl), servesApi: true });
  t.after(() => second.close());
  const url = await second.listen({ host: '127.0.0.1', port: 0 });
  const isWaiting = watchRoom(t);
  const waiting = fetch(`${url}/api/events?wait=25`, { headers: { authorization: `Bearer ${key.token}` } });
  await isWaiting();
  const begun = performance.now();
  const closed = second.close();
  const answer = await waiting;
  assert.equal(answer.status, 200);
  assert.deepEqual(await answer.json(), { events: [], next: 0 });
  await closed;
  assert.ok(performance.now() - begun < 20_000);
});

test('a key that is revoked while its request waits reads nothing more', async (t) => {
  const [key, other] = [await makeKey(harness), await makeKey(harness)];
  const second = await makeKey(harness, { partnerId: key.partnerId });
  const isWaiting = watchRoom(t);
  const waiting = ask(key, '?wait=10');
  await isWaiting();
  await revokeKey(harness.operatorContext(), { keyId: key.id });
  await makeWithdrawal(harness, second);
  await makeWithdrawal(harness, other);
  await numberAll(harness);
  const { status, body } = await waiting;
  assert.deepEqual([status, body.error], [401, 'Unauthorized']);
});

test('a request that waits for other types, or for an account of its own, sleeps on', async () => {
  const key = await makeKey(harness);
  const other = await makeKey(harness, { partnerId: key.partnerId });
  let queries = 0;
  const { db } = harness.deps;
  const counting = {
    ...db,
    query: (text: string, values?: readonly unknown[]) => {
      queries += 1;
      return db.query(text, values);
    },
  };
  const room = new WaitingRoom(counting as typeof db);
  after(() => room.close());
  const leaving = new AbortController();
  const reader = { partnerId: key.partnerId, userId: key.userId };
  const wait = (types?: string[]) =>
    readFeed(
      { db: counting as typeof db, isReplicationSynchronous: false },
      { reader, after: 0, limit: 10, types },
      { room, waitMs: 20_000, signal: leaving.signal },
    );
  const sleeping = [wait(['card.created']), wait(['card.created']), wait(['withdrawal.failed'])];
  const woken = wait(['withdrawal.queued']);
  await sleep(500);
  queries = 0;
  for (let at = 0; at < 3; at++) {
    await makeLines(harness, other.userId, [{}]);
    await numberAll(harness);
    await sleep(100);
  }
  assert.ok(queries <= 5, `${queries} queries for what nobody waits for`);
  await makeWithdrawal(harness, key);
  await numberAll(harness);
  assert.equal((await woken).bodies.length, 1);
  assert.equal(room.count(reader).own, 3);
  leaving.abort();
  for (const { bodies } of await Promise.all(sleeping)) assert.deepEqual(bodies, []);
  assert.equal(room.count(reader).all, 0);
});

test('an event that is numbered between the reading and the waiting is not waited for', async () => {
  const key = await makeKey(harness);
  await makeWithdrawal(harness, key);
  await numberAll(harness);
  const room = new WaitingRoom(harness.deps.db);
  after(() => room.close());
  let isFirst = true;
  const { db } = harness.deps;
  const late = {
    ...db,
    query: async (text: string, values?: readonly unknown[]) => {
      const rows = await db.query(text, values);
      if (isFirst) {
        isFirst = false;
        await makeWithdrawal(harness, key);
        await numberAll(harness);
      }
      return rows;
    },
  };
  const begun = performance.now();
  const page = await readFeed(
    { db: late as typeof db, isReplicationSynchronous: false },
    { reader: { partnerId: key.partnerId, userId: key.userId }, after: 1, limit: 10 },
    { room, waitMs: 20_000, signal: new AbortController().signal },
  );
  assert.equal(page.bodies.length, 1);
  assert.ok(performance.now() - begun < 15_000);
});

test('a key has at most 20 requests that wait', async () => {
  const key = await makeKey(harness);
  const waiting = new Set(Array.from({ length: 21 }, () => ask(key, '?wait=25')));
  const first = await Promise.race([...waiting].map(async (asked) => ({ asked, answer: await asked })));
  const { status, body, headers } = first.answer;
  assert.deepEqual([status, body.error], [429, 'Too many requests wait for events']);
  assert.equal(headers.get('retry-after'), '5');
  assert.equal((await ask(key)).status, 200, 'without waiting it reads');
  waiting.delete(first.asked);
  await makeWithdrawal(harness, key);
  await numberAll(harness);
  for (const one of await Promise.all(waiting)) assert.equal(one.status, 200);
});
