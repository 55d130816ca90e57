import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testLog } from '#test/harness';
import { startTraceReceiver } from '#test/outside/trace-receiver';
import { waitUntil } from '#test/wait-until';
import { bufferMax } from './exporter.ts';
import { createTraces } from './traces.ts';

const timing = { everyMs: 20, timeoutMs: 60_000, stopMs: 60_000 };

function start(endpoint: string, changes: Partial<typeof timing> = {}) {
  const dropped = { full: 0, failed: 0 };
  const traces = createTraces({
    endpoint,
    log: testLog(),
    onDrop: (reason, count) => {
      dropped[reason] += count;
    },
    timing: { ...timing, ...changes },
  });
  const record = async (count: number) => {
    for (let at = 0; at < count; at++) await traces.inNewTrace(`span ${at}`, {}, async () => undefined);
  };
  return { traces, dropped, record };
}

test('a stop sends what is left, in batches of at most 512', async () => {
  const receiver = await startTraceReceiver();
  const { traces, dropped, record } = start(receiver.url, { everyMs: 3_600_000 });
  await record(1_300);
  await traces.stop();
  assert.equal(receiver.spans().length, 1_300);
  assert.equal(new Set(receiver.spans().map(({ spanId }) => spanId)).size, 1_300);
  assert.equal(receiver.received.length, 3);
  assert.equal(receiver.received[0]!.path, '/hooks/v1/traces');
  assert.deepEqual(dropped, { full: 0, failed: 0 });
  await traces.stop();
  await receiver.stop();
});

test('a receiver that does not answer: the buffer is bounded, the rest is dropped and counted', async () => {
  const receiver = await startTraceReceiver();
  receiver.answer = () => undefined;
  const { traces, dropped, record } = start(receiver.url, { stopMs: 50 });
  await record(bufferMax + 512 + 100);
  assert.equal(dropped.full, 100);
  // A stop does not wait for it.
  await traces.stop();
  assert.deepEqual(dropped, { full: 100, failed: bufferMax + 512 });
  await receiver.stop();
});

test('a batch that takes too long is dropped, and the next one is sent', async () => {
  const receiver = await startTraceReceiver();
  const { answer } = receiver;
  receiver.answer = () => undefined;
  const { traces, dropped, record } = start(receiver.url, { timeoutMs: 2_000 });
  await record(1);
  await waitUntil('it is dropped', () => dropped.failed === 1);
  receiver.answer = answer;
  await record(1);
  await waitUntil('the next one arrives', () => receiver.received.length >= 2);
  await traces.stop();
  await receiver.stop();
});

test('a receiver that is down or refuses: spans are dropped and counted', async () => {
  const receiver = await startTraceReceiver();
  receiver.answer = (_request, response) => void response.writeHead(503).end();
  const refused = start(receiver.url);
  await refused.record(3);
  await refused.traces.stop();
  assert.deepEqual(refused.dropped, { full: 0, failed: 3 });
  await receiver.stop();
  const down = start(receiver.url);
  await down.record(3);
  await down.traces.stop();
  assert.deepEqual(down.dropped, { full: 0, failed: 3 });
});

test('a span that fails has the class or code of its error, never the message', async () => {
  const receiver = await startTraceReceiver();
  const { traces } = start(receiver.url);
  const fault = Object.assign(new Error('the value 4242'), { code: '23505' });
  await assert.rejects(
    traces.inNewTrace('one', {}, () => Promise.reject(fault)),
    fault,
  );
  await traces.stop();
  const [span] = receiver.spans();
  assert.deepEqual(span!.status, { code: 2 });
  assert.deepEqual(span!.attributes, [{ key: 'error.type', value: { stringValue: '23505' } }]);
  assert.ok(!receiver.received[0]!.body.includes('4242'));
  await receiver.stop();
});
