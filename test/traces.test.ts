import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, test } from 'node:test';
import { callPlain } from '#test/callers/mcp';
import { makeAddress, makeKey, makeUser } from '#test/data/factories';
import {
  attributeOf,
  type ReceivedSpan,
  startTraceReceiver,
  type TraceReceiver,
} from '#test/outside/trace-receiver';
import { createDeps, endDatabases } from '../src/main.ts';
import { networksWithoutNodes, readTestLog, testConfig, testLog, useHarness } from './harness.ts';

let receiver: TraceReceiver;
const harness = useHarness(async () => {
  receiver = await startTraceReceiver();
  return { tracesUrl: receiver.url, networks: networksWithoutNodes() };
});
after(() => receiver.stop());

const ofRequest = (id: string) =>
  receiver.find(`the span of request ${id}`, (span) => attributeOf(span, 'causeway.request.id') === id);
const requestIdOf = ({ headers }: { headers: Headers }) => headers.get('x-request-id')!;
const isSql = (span: ReceivedSpan) => attributeOf(span, 'db.system.name') === 'postgresql';
const newParent = () => ({
  traceId: randomBytes(16).toString('hex'),
  spanId: randomBytes(8).toString('hex'),
});

test('200 a request that writes is one trace: the request, and its statements below it', async () => {
  const { userId, token } = await makeKey(harness);
  const to = makeAddress();
  const answer = await harness.request('POST', `/api/crypto/${userId}/withdraw?note=1`, {
    token,
    body: { amount: '1', to },
  });
  const stored = await harness.request('POST', `/api/crypto/${userId}/withdraw`, {
    token,
    body: { amount: '1', to },
  });
  assert.deepEqual([answer.status, stored.status], [400, 200], JSON.stringify(answer.body));
  const span = await ofRequest(requestIdOf(stored));
  assert.equal(span.name, 'POST /api/crypto/:userId/withdraw');
  assert.equal(span.kind, 2);
  assert.equal(span.parentSpanId, undefined);
  assert.match(span.traceId, /^[0-9a-f]{32}$/);
  assert.equal(attributeOf(span, 'http.request.method'), 'POST');
  assert.equal(attributeOf(span, 'http.route'), '/api/crypto/:userId/withdraw');
  assert.equal(attributeOf(span, 'http.response.status_code'), '200');
  const statements = receiver.childrenOf(span).filter(isSql);
  assert.ok(statements.length >= 2, statements.map(({ name }) => name).join('; '));
  for (const { startTimeUnixNano, endTimeUnixNano } of statements) {
    assert.ok(BigInt(startTimeUnixNano) >= BigInt(span.startTimeUnixNano));
    assert.ok(BigInt(endTimeUnixNano) >= BigInt(startTimeUnixNano));
  }
  const body = receiver.received.map((one) => one.body).join('\n');
  for (const value of [token, userId, to, 'note=1']) assert.ok(!body.includes(value), value);
});

test('the log line of a request has its trace id', async () => {
  const answer = await harness.request('GET', '/health');
  const { traceId } = await ofRequest(requestIdOf(answer));
  const line = readTestLog()
    .split('\n')
    .find((one) => one.includes(requestIdOf(answer)) && one.includes('"route":"/health"'));
  assert.equal(JSON.parse(line!).traceId, traceId);
});

test('a command is a span between its request and its statements', async () => {
  const { id } = await makeUser(harness);
  const answer = await harness.operator('users.suspend', { userId: id, reason: 'Suspected theft' });
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  const [command] = receiver
    .childrenOf(await ofRequest(requestIdOf(answer)))
    .filter(({ name }) => name === 'command users.suspend');
  const transaction = receiver.childrenOf(command!).find(({ name }) => name === 'transaction');
  assert.ok(receiver.childrenOf(transaction!).some(isSql));
});

test('a tool is a span below its request', async () => {
  const { token } = await makeKey(harness, { scopes: ['mcp'] });
  const answer = await callPlain(harness, token, 'getAccountBalance');
  const names = receiver.childrenOf(await ofRequest(requestIdOf(answer))).map(({ name }) => name);
  assert.ok(names.includes('tool getAccountBalance'), names.join('; '));
});

test('traceparent: a request continues the trace of its caller', async () => {
  const { traceId, spanId } = newParent();
  const headers = { traceparent: `00-${traceId}-${spanId}-01` };
  const span = await ofRequest(requestIdOf(await harness.request('GET', '/ready', { headers })));
  assert.deepEqual([span.traceId, span.parentSpanId], [traceId, spanId]);
  assert.ok(receiver.childrenOf(span).every((child) => child.traceId === traceId));
});

test('traceparent: a request that its caller did not sample is not exported', async () => {
  const { traceId, spanId } = newParent();
  await harness.request('GET', '/ready', { headers: { traceparent: `00-${traceId}-${spanId}-00` } });
  // Spans arrive in the order in which they ended.
  await ofRequest(requestIdOf(await harness.request('GET', '/health')));
  assert.ok(receiver.spans().every((span) => span.traceId !== traceId));
});

test('traceparent: an invalid one is ignored, and the request starts a trace', async () => {
  const { traceId, spanId } = newParent();
  const invalid = [
    '',
    'x',
    `01-${traceId}-${spanId}-01`,
    `ff-${traceId}-${spanId}-01`,
    `00-${traceId}-${spanId}`,
    `00-${traceId}-${spanId}-01-more`,
    `00-${traceId}-${spanId}-0g`,
    `00-${traceId.toUpperCase().replace(/\d/g, 'A')}-${spanId}-01`,
    `00-${'0'.repeat(32)}-${spanId}-01`,
    `00-${traceId}-${'0'.repeat(16)}-01`,
    `00-${traceId}-${spanId}-01, 00-${traceId}-${spanId}-01`,
    'a'.repeat(4_000),
  ];
  const ask = (traceparent: string) => harness.request('GET', '/health', { headers: { traceparent } });
  for (const answer of await Promise.all(invalid.map(ask))) {
    assert.equal(answer.status, 200);
    const span = await ofRequest(requestIdOf(answer));
    assert.notEqual(span.traceId, traceId);
    assert.equal(span.parentSpanId, undefined);
  }
});

test('without the setting nothing is installed', async () => {
  const deps = createDeps(testConfig(harness.databaseUrl), testLog());
  try {
    assert.equal('traces' in deps, false);
    assert.equal(deps.db.reading(), deps.db);
  } finally {
    await endDatabases(deps);
  }
});
