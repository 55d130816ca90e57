import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answer, reset, useScriptedServer } from '../../../test/client/scripted-server.ts';
import { AbortError, Causeway, UserNotFoundError, WaitTimeoutError } from './index.ts';

const server = useScriptedServer();
const created = { userId: 'ana', bulkId: 'bulk-1' };
const waitFor = (options: { timeoutMs?: number; signal?: AbortSignal } = {}) =>
  new Causeway({ baseUrl: server.url, apiKey: 'cwk_test', maxRetries: 0 }).withdrawals.waitFor(
    created,
    options,
  );
const read = (...withdraws: object[]) =>
  answer(200, { data: { withdraws, pageInfo: { limit: 100, offset: 0 } } });
const inStatus = (status: string) => read({ id: 'w-1', ...created, status });

const failureOf = (call: Promise<unknown>): Promise<Error> =>
  call.then(
    () => assert.fail('it did not fail'),
    (error) => error,
  );

test('it reads until the status is final, through outages and an empty answer', async () => {
  server.play(reset, read(), inStatus('queued'), inStatus('failed'));
  const { status } = await waitFor();
  assert.equal(status, 'failed');
  assert.equal(server.received.length, 4);
  assert.match(server.received[0]!.url, /bulkId=bulk-1/);
});

test('it ends with what it last read when the time is over', async () => {
  server.play(inStatus('processing'));
  const error = await failureOf(waitFor({ timeoutMs: 2_000 }));
  assert.ok(error instanceof WaitTimeoutError);
  assert.equal(error.withdrawal?.status, 'processing');
  server.play(reset);
  const blind = await failureOf(waitFor({ timeoutMs: 2_000 }));
  assert.ok(blind instanceof WaitTimeoutError);
  assert.equal((blind.cause as { code: string }).code, 'connection_error');
});

test('a refusal or the signal ends it at once', async () => {
  server.play(answer(404, { error: 'User not found', code: 'user_not_found' }));
  await assert.rejects(waitFor(), UserNotFoundError);
  server.play(inStatus('queued'));
  await assert.rejects(waitFor({ signal: AbortSignal.timeout(100) }), AbortError);
});
