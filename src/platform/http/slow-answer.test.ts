import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { ask, testLog } from '#test/harness';
import { createMetrics } from '../observe/metrics.ts';
import { createHttpServer } from './http.ts';
import { limits } from './limits.ts';

// In a separate file, so that other tests run beside it: it waits longer than the connection timeout.
test('200: an answer that takes longer than the connection timeout is not cut off while we work on it', async () => {
  const server = createHttpServer({ log: testLog(), metrics: createMetrics(), trustedProxies: [] });
  server.get('/slow', async () => {
    await sleep(limits.connectionTimeoutMs + 1_500);
    return { done: true };
  });
  const url = await server.listen({ host: '127.0.0.1', port: 0 });
  try {
    assert.deepEqual((await ask(`${url}/slow`, {})).body, { done: true });
  } finally {
    await server.close();
  }
});
