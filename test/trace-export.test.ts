import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTraceReceiver } from '#test/outside/trace-receiver';
import { serve } from '../src/main.ts';
import { ask, cloneDatabase, testConfig, testLog } from './harness.ts';
import { waitUntil } from './wait-until.ts';

const start = async (tracesUrl: string) =>
  serve(testConfig(await cloneDatabase(), { tracesUrl }), testLog(), ['api']);

test('a stop exports the spans of the last requests', async () => {
  const receiver = await startTraceReceiver();
  const { url, stop } = await start(receiver.url);
  for (let at = 0; at < 5; at++) assert.equal((await ask(`${url}/ready`, {})).status, 200);
  await stop();
  assert.equal(receiver.spans().filter(({ name }) => name === 'GET /ready').length, 5);
  await receiver.stop();
});

test('200 while the receiver is down; dropped spans are counted', async () => {
  const receiver = await startTraceReceiver();
  await receiver.stop();
  const { url, stop } = await start(receiver.url);
  await waitUntil('dropped spans are counted', async () => {
    assert.equal((await ask(`${url}/ready`, {})).status, 200);
    const { body } = await ask(`${url}/metrics`, {});
    return /^causeway_traces_dropped_total\{reason="failed"\} [1-9]/m.test(body);
  });
  await stop();
});

test('200 while the receiver does not answer, and a stop does not wait for it', async () => {
  const receiver = await startTraceReceiver();
  receiver.answer = () => undefined;
  const { url, stop } = await start(receiver.url);
  await ask(`${url}/health`, {});
  await waitUntil('it waits for the receiver', () => receiver.received.length > 0);
  for (let at = 0; at < 5; at++) assert.equal((await ask(`${url}/ready`, {})).status, 200);
  await stop();
  await receiver.stop();
});
