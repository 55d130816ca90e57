import assert from 'node:assert/strict';
import { test } from 'node:test';
import { networks } from '#adapters/evm';
import { cloneDatabase, testConfig, testLog, useHarness } from '#test/harness';
import { waitUntil } from '#test/wait-until';
import { buildApp } from '../../app.ts';
import { serve } from '../../main.ts';
import { createMetrics } from '../observe/metrics.ts';

const harness = useHarness();
const ready = () => harness.request('GET', '/ready');

test('200 /health and /ready', async () => {
  assert.deepEqual((await harness.request('GET', '/health')).body, { status: 'ok' });
  const { status, body } = await ready();
  assert.deepEqual([status, body.status], [200, 'ready']);
});

test('200 /ready: names the networks without an answering node, as /metrics shows them', async () => {
  const down = async () => (await ready()).body.networksWithoutNode as string[];
  await waitUntil('all are known', async () => (await down()).length === networks.length);
  assert.deepEqual((await down()).toSorted(), networks.toSorted());
  const { body } = await harness.request('GET', '/metrics');
  for (const network of networks)
    assert.ok(body.includes(`causeway_node_up{network="${network}",place="1"} 0`), network);
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
      withdrawalRates: { partner: 1_000_000, user: 1_000_000 },
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

test('METRICS_PORT: /metrics, /health and /ready there, and no /metrics on the other port', async (t) => {
  const config = { ...testConfig(await cloneDatabase()), metricsPort: 0 };
  const server = await serve(config, testLog(), ['api']);
  t.after(() => server.stop());
  const statusOf = async (url: string) => (await fetch(url)).status;
  const { url, metricsUrl } = server;
  assert.notEqual(metricsUrl, url);
  for (const path of ['/metrics', '/health', '/ready'])
    assert.equal(await statusOf(metricsUrl + path), 200, path);
  for (const path of ['/api/history', '/docs', '/openapi.json', '/operator/users.list'])
    assert.equal(await statusOf(metricsUrl + path), 404, path);
  assert.equal(await statusOf(`${url}/metrics`), 404);
  for (const path of ['/health', '/ready']) assert.equal(await statusOf(url + path), 200, path);
  const text = await (await fetch(`${metricsUrl}/metrics`)).text();
  assert.ok(text.includes('\ncauseway_consents_active 0\n'), 'figures of the app are there');

  const taken = { ...config, metricsPort: Number(new URL(metricsUrl!).port) };
  await assert.rejects(serve(taken, testLog(), ['api']), /^StartupError: Port \d+ is taken: .* METRICS_PORT/);
  await server.stop();
  await assert.rejects(fetch(`${metricsUrl}/health`));
});

test('what is not configured is absent from /metrics, and not 0', async () => {
  const { body } = await harness.request('GET', '/metrics');
  const shown = [...body.matchAll(/^(causeway_\w+)[{ ]/gm)].map(([, name]) => name);
  assert.ok(shown.includes('causeway_build_info') && shown.includes('causeway_consents_active'));
  const hidden = shown.filter((name) =>
    /^causeway_(cards|prices|hot_wallet|deposits|treasury|job)_/.test(name),
  );
  assert.deepEqual(hidden, [], 'there is no issuer, no price source, no wallet and no job here');
  assert.match(body, /^# TYPE causeway_cards_events_missing gauge$/m);
});

test('the version is in /metrics', async () => {
  const { body } = await harness.request('GET', '/metrics');
  assert.match(body, /^causeway_build_info\{version="\d+\.\d+\.\d+[^"]*",node_version="v24\.[^"]+"\} 1$/m);
});
