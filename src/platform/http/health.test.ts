import assert from 'node:assert/strict';
import { test } from 'node:test';
import { useHarness } from '#test/harness';
import { buildApp } from '../../app.ts';
import { createMetrics } from '../observe/metrics.ts';

const harness = useHarness();
const ready = () => harness.request('GET', '/ready');

test('200 /health and /ready', async () => {
  assert.deepEqual((await harness.request('GET', '/health')).body, { status: 'ok' });
  assert.deepEqual((await ready()).body, { status: 'ready' });
});

test('200 /ready: a newer schema is a deploy under way; 503: an older one is not this release’s', async () => {
  const { db } = harness.deps;
  await db.query(`insert into schema_migrations (version, name, sha256) values (9999, 'later', '')`);
  assert.equal((await ready()).status, 200);
  await db.query('delete from schema_migrations');
  const { status, body } = await ready();
  assert.equal(status, 503);
  assert.match(body.error, /^The database is at schema version 0 and this release needs \d+$/);
});

test('200 /metrics: requests by route pattern and status, latency, connections, jobs; no id and no address', async () => {
  await harness.request('GET', '/api/history?resource=account&feature=account&secret=1');
  await harness.request('GET', '/no/such/place');
  const { headers, body } = await harness.request('GET', '/metrics');
  assert.match(headers.get('content-type')!, /^text\/plain/);
  for (const line of [
    'causeway_http_requests_total{method="GET",route="/api/history",status="401"} 1',
    'causeway_http_requests_total{method="GET",route="unmatched",status="404"} 1',
    'causeway_http_request_duration_seconds_count{method="GET",route="/api/history"} 1',
    'causeway_keys_refused_total{reason="missing"} 1',
    'causeway_database_connections{state="waiting"} 0',
  ]) {
    assert.ok(body.includes(line), line);
  }
  assert.ok(!body.includes('secret') && !body.includes('/no/such/place'));
});

test('a process without the role api answers for its health and nothing else', async () => {
  const worker = await buildApp(
    { ...harness.deps, metrics: createMetrics() },
    {
      operatorTokens: new Map(),
      databasePoolMax: 10,
      trustedProxies: [],
      withdrawalLimits: [],
      balanceStaleAfterMs: 3_600_000,
      servesApi: false,
    },
  );
  const status = async (url: string) => (await worker.inject({ method: 'GET', url })).statusCode;
  assert.equal(await status('/health'), 200);
  assert.equal(await status('/metrics'), 200);
  for (const url of ['/docs', '/docs/', '/openapi.json', '/api/history'])
    assert.equal(await status(url), 404, url);
  await worker.close();
});
