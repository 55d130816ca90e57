import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { test } from 'node:test';
import { createOutgoing } from '#platform/outgoing/index';
import { waitUntil } from '#test/wait-until';
import { useWebhooks } from '#test/worlds/webhook';

const { world, createEndpoint, makeSteps, startDelivering, deliveries, showDelivery } = useWebhooks();
const { harness } = world;

/** Sends one event, and returns its delivery after the first attempt. */
async function sendOne(options: Parameters<typeof startDelivering>[0] = {}, deps = harness.deps) {
  const { id } = await createEndpoint();
  startDelivering(options, deps);
  await makeSteps(['one']);
  await waitUntil('it is tried', async () => ((await deliveries(id))[0]?.attempts ?? 0) > 0);
  const [delivery] = await deliveries(id);
  return { ...(await showDelivery(id, delivery!.id)), endpointId: id };
}

const respond = (answer: (response: ServerResponse) => void) => {
  world.receiver.answer = (_request, response) => answer(response);
};
const waitsMs = ({ nextAttemptAt, attemptList: [first] }: Awaited<ReturnType<typeof sendOne>>) =>
  Date.parse(nextAttemptAt) - Date.parse(first.startedAt);

for (const status of [200, 201, 204, 299]) {
  test(`${status} is success`, async () => {
    respond((response) => void response.writeHead(status).end());
    const { status: became, attemptList } = await sendOne();
    assert.equal(became, 'delivered');
    assert.deepEqual([attemptList[0].status, attemptList[0].error], [status, null]);
  });
}

for (const status of [400, 401, 404, 500, 502]) {
  test(`${status} is retried after five seconds, whatever Retry-After says`, async () => {
    respond((response) => void response.writeHead(status, { 'retry-after': '1800' }).end('no'));
    const shown = await sendOne();
    assert.equal(shown.status, 'due');
    assert.equal(shown.attemptList[0].error, `The endpoint answered ${status}.`);
    assert.equal(shown.attemptList[0].answer, 'no');
    assert.ok(waitsMs(shown) >= 5_000 && waitsMs(shown) < 10_000, String(waitsMs(shown)));
  });
}

for (const [name, value, seconds] of [
  ['seconds', () => '600', 600],
  ['a date', () => new Date(Date.now() + 900_000).toUTCString(), 900],
  ['more than an hour', () => '86400', 3_600],
] as const) {
  for (const status of [429, 503]) {
    test(`${status} with Retry-After as ${name} waits so long, and at most an hour`, async () => {
      respond((response) => void response.writeHead(status, { 'retry-after': value() }).end());
      const waited = waitsMs(await sendOne()) / 1_000;
      assert.ok(waited > seconds - 10 && waited < Math.min(seconds * 1.1, 3_600) + 10, String(waited));
    });
  }
}

test('a redirect is not followed', async () => {
  respond((response) => void response.writeHead(307, { location: world.receiver.url }).end());
  const { status, attemptList } = await sendOne();
  assert.equal(status, 'due');
  assert.equal(attemptList[0].error, 'The endpoint answered 307: redirects are not followed.');
  assert.equal(world.receiver.received.length, 1);
});

test('an answer is cut at 4 kB', async () => {
  respond((response) => void response.writeHead(200).end('x'.repeat(1_000_000)));
  const { status, attemptList } = await sendOne();
  assert.equal(status, 'delivered');
  assert.equal(attemptList[0].answer, 'x'.repeat(4_096));
});

for (const [name, bytes, expected] of [
  ['NUL', Buffer.from('a\0b'), 'a\ufffdb'],
  ['invalid UTF-8', Buffer.from([0x61, 0xff, 0xc3, 0x28]), 'a\ufffd\ufffd('],
  ['only invalid bytes', Buffer.alloc(5_000, 0xff), '\ufffd'.repeat(4_096)],
  ['a character at the cut', Buffer.from(`${'x'.repeat(4_095)}é`), `${'x'.repeat(4_095)}\ufffd`],
] as const) {
  test(`an answer with ${name} is stored`, async () => {
    respond((response) => void response.writeHead(500).end(bytes));
    const { attemptList } = await sendOne();
    assert.equal(attemptList[0].answer, expected);
  });
}

test('an endpoint that does not answer in time is retried', async () => {
  respond(() => undefined);
  const { status, attemptList } = await sendOne({ timeoutMs: 200 });
  assert.equal(status, 'due');
  assert.equal(attemptList[0].status, null);
  assert.equal(attemptList[0].error, 'No whole answer within 200 ms.');
});

test('an endpoint that sends its answer byte by byte is cut off', async () => {
  respond((response) => {
    response.writeHead(200);
    const timer = setInterval(() => response.write('.'), 20);
    response.on('close', () => clearInterval(timer));
  });
  const { status, attemptList } = await sendOne({ timeoutMs: 300 });
  assert.equal(status, 'due');
  assert.equal(attemptList[0].error, 'No whole answer within 300 ms.');
});

test('a connection that is closed is retried', async () => {
  respond((response) => void response.destroy());
  const { status, attemptList } = await sendOne();
  assert.equal(status, 'due');
  assert.equal(attemptList[0].error, 'The connection failed (ECONNRESET).');
});

test('an address that the settings no longer allow fails at once, and is not retried', async () => {
  const strict = createOutgoing({ allowsLoopbackHttp: false, ports: [443], allowedBlocks: [] });
  const shown = await sendOne({}, { ...harness.deps, outgoing: strict });
  assert.deepEqual([shown.status, shown.attempts, shown.nextAttemptAt], ['failed', 1, null]);
  assert.match(shown.attemptList[0].error, /https/);
  assert.equal(world.receiver.received.length, 0);
});

test('a name that resolves to a forbidden address fails at once, and is not retried', async () => {
  const policy = { allowsLoopbackHttp: false, ports: [443], allowedBlocks: [] };
  const outgoing = createOutgoing(policy, async () => ['203.0.114.7', '10.0.0.7']);
  const { id } = await createEndpoint({ url: 'https://hooks.example.com/in' });
  startDelivering({}, { ...harness.deps, outgoing });
  await makeSteps(['one']);
  await waitUntil('it failed', async () => (await deliveries(id))[0]?.status === 'failed');
  assert.equal((await deliveries(id))[0]!.attempts, 1);
});

test('a name that does not resolve is retried', async () => {
  const policy = { allowsLoopbackHttp: false, ports: [443], allowedBlocks: [] };
  const { id } = await createEndpoint({ url: 'https://hooks.invalid/in' });
  const outgoing = createOutgoing(policy, async () => {
    throw Object.assign(new Error('no such name'), { code: 'ENOTFOUND' });
  });
  startDelivering({}, { ...harness.deps, outgoing });
  await makeSteps(['one']);
  await waitUntil('it is tried', async () => (await deliveries(id))[0]?.attempts === 1);
  assert.equal((await deliveries(id))[0]!.status, 'due');
});
