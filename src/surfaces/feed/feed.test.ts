import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { IssuedKey } from '#features/keys';
import { createMetrics } from '#platform/observe/metrics';
import { makeIntegration, makeKey, makeLines, makeWithdrawal } from '#test/factories';
import { networksWithoutNodes, testConfig, useHarness } from '#test/harness';
import { numberAll } from '#test/number-events';
import { buildApp } from '../../app.ts';

const harness = useHarness({ networks: networksWithoutNodes() });

const ask = ({ token }: IssuedKey, query = '') => harness.request('GET', `/api/events${query}`, { token });

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

test('a waiting request is answered as soon as its partner has an event, and not for others', async () => {
  const [key, other] = [await makeKey(harness), await makeKey(harness)];
  const begun = performance.now();
  const waiting = ask(key, '?wait=20');
  await sleep(300);
  await makeWithdrawal(harness, other);
  await numberAll(harness);
  await sleep(300);
  const woken = performance.now();
  await makeWithdrawal(harness, key);
  await numberAll(harness);
  const { status, body } = await waiting;
  assert.equal(status, 200);
  assert.deepEqual([body.events.length, body.next], [1, 1]);
  assert.ok(performance.now() - woken < 2_500, 'before the reader would have looked again');
  assert.ok(performance.now() - begun >= 600);
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
  const waiting = fetch(`${url}/api/events?wait=25`, { headers: { authorization: `Bearer ${key.token}` } });
  await sleep(300);
  const begun = performance.now();
  const closed = second.close();
  const answer = await waiting;
  assert.equal(answer.status, 200);
  assert.deepEqual(await answer.json(), { events: [], next: 0 });
  await closed;
  assert.ok(performance.now() - begun < 5_000);
});
