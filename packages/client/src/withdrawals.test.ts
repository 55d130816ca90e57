import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answer, cutOff, hang, reset, useScriptedServer } from '../../../test/client/scripted-server.ts';
import {
  AbortError,
  Causeway,
  CausewayError,
  ConnectionError,
  IdempotencyKeyReusedError,
  type IdempotencyStore,
  RecipientNotFoundError,
  TimeoutError,
  UnauthorizedError,
  UnavailableError,
} from './index.ts';

const server = useScriptedServer();
const clientOf = (options: { store?: IdempotencyStore; maxRetries?: number; timeoutMs?: number } = {}) =>
  new Causeway({ baseUrl: server.url, apiKey: 'cwk_test', ...options });
const withdrawal = { userId: 'ana', amount: '1', to: 'bruno@example.com' };
const created = answer(200, { message: 'ok', data: { bulkId: 'bulk-1' } });
const unavailable = answer(503, { error: 'Service unavailable', code: 'unavailable', requestId: 'r-1' });
const keysSent = () => server.received.map(({ headers }) => headers['idempotency-key']);

/** The error that a call ends with. */
const failureOf = async (call: PromiseLike<unknown>): Promise<CausewayError> => {
  try {
    await call;
  } catch (error) {
    assert.ok(error instanceof CausewayError, String(error));
    return error;
  }
  assert.fail('it did not fail');
};

for (const [what, ...steps] of [
  ['a reset, a cut answer and a 503', reset, cutOff, unavailable],
  ['answers that are not the documented JSON', answer(200, '<html>'), answer(200, { data: {} })],
] as const) {
  test(`a create has one key through ${what}`, async () => {
    server.play(...steps, created);
    const { bulkId, idempotencyKey } = await clientOf().withdrawals.create(withdrawal);
    assert.equal(bulkId, 'bulk-1');
    assert.deepEqual(keysSent(), Array(steps.length + 1).fill(idempotencyKey));
    assert.equal(new Set(server.received.map(({ body }) => body)).size, 1);
    assert.equal(server.received[0]!.url, '/api/crypto/ana/withdraw');
  });
}

test('two creates have two keys, and a key of the caller is sent as it is', async () => {
  server.play(created);
  const { withdrawals } = clientOf();
  await withdrawals.create(withdrawal);
  await withdrawals.create(withdrawal);
  await withdrawals.create(withdrawal, { idempotencyKey: 'invoice-7' });
  assert.equal(new Set(keysSent()).size, 3);
  assert.equal(keysSent()[2], 'invoice-7');
});

for (const [what, step, Class] of [
  ['a reset', reset, ConnectionError],
  ['no answer in time', hang, TimeoutError],
  ['a 503', unavailable, UnavailableError],
  ['an answer that is cut off', cutOff, ConnectionError],
] as const) {
  test(`${what} as the last word: the outcome is unknown, and the error has the key`, async () => {
    server.play(step);
    // A busy machine needs its time to cut an answer off.
    const client = clientOf({ maxRetries: 1, timeoutMs: step === hang ? 200 : 30_000 });
    const error = await failureOf(client.withdrawals.create(withdrawal, { idempotencyKey: 'invoice-7' }));
    assert.ok(error instanceof Class);
    assert.deepEqual([error.isOutcomeUnknown, error.idempotencyKey], [true, 'invoice-7']);
    assert.equal(server.received.length, 2);
  });
}

test('a refusal says that nothing was created, and is not repeated', async () => {
  server.play(answer(404, { error: 'Error finding user verified wallet', code: 'recipient_not_found' }));
  const error = await failureOf(clientOf().withdrawals.create(withdrawal));
  assert.ok(error instanceof RecipientNotFoundError);
  assert.equal(error.isOutcomeUnknown, false);
  assert.equal(server.received.length, 1);
});

test('a refusal after a lost answer leaves the outcome unknown', async () => {
  server.play(reset, answer(401, { error: 'Unauthorized', code: 'unauthorized' }));
  const error = await failureOf(clientOf().withdrawals.create(withdrawal));
  assert.ok(error instanceof UnauthorizedError);
  assert.equal(error.isOutcomeUnknown, true);
  assert.equal(error.idempotencyKey, keysSent()[0]);
});

test('a request in flight under the key is waited for; another body under it is a conflict', async () => {
  const inFlight = answer(409, { error: 'in flight', code: 'request_in_flight' }, { 'retry-after': '0' });
  server.play(inFlight, answer(422, { error: 'This key was used', code: 'idempotency_key_reused' }));
  const error = await failureOf(clientOf().withdrawals.create(withdrawal));
  assert.ok(error instanceof IdempotencyKeyReusedError);
  assert.equal(server.received.length, 2);
});

test('a signal ends a create while it waits: the outcome is unknown if it was sent, else not', async () => {
  server.play(hang);
  const controller = new AbortController();
  const call = clientOf().withdrawals.create(withdrawal, { signal: controller.signal });
  setTimeout(() => controller.abort('no time'), 100);
  const error = await failureOf(call);
  assert.ok(error instanceof AbortError);
  assert.deepEqual([error.cause, error.isOutcomeUnknown], ['no time', true]);
  const never = await failureOf(clientOf().withdrawals.create(withdrawal, { signal: controller.signal }));
  assert.equal(never.isOutcomeUnknown, false);
  assert.equal(server.received.length, 1);
});

test('with a store, a client that starts again repeats the operation under the first key', async () => {
  const kept = new Map<string, string>();
  const store: IdempotencyStore = {
    async keep(name, key) {
      kept.set(name, kept.get(name) ?? key);
      return kept.get(name)!;
    },
  };
  server.play(reset);
  await failureOf(
    clientOf({ store, maxRetries: 0 }).withdrawals.create(withdrawal, { operation: 'payout-1' }),
  );
  server.play(created);
  await clientOf({ store }).withdrawals.create(withdrawal, { operation: 'payout-1' });
  await clientOf({ store }).withdrawals.create(withdrawal, { operation: 'payout-2' });
  assert.equal(keysSent()[0], keysSent()[1]);
  assert.notEqual(keysSent()[1], keysSent()[2]);
});

test('nothing is sent if the store fails, or if a name or key is missing or malformed', async () => {
  const broken: IdempotencyStore = { keep: () => Promise.reject(new Error('disk full')) };
  await assert.rejects(
    async () => clientOf({ store: broken }).withdrawals.create(withdrawal, { operation: 'p' }),
    /disk full/,
  );
  const empty: IdempotencyStore = { keep: async () => undefined as never };
  const wrong = [
    () => clientOf({ store: broken }).withdrawals.create(withdrawal),
    () => clientOf({ store: empty }).withdrawals.create(withdrawal, { operation: 'p' }),
    () => clientOf().withdrawals.create(withdrawal, { operation: 'p' }),
    () => clientOf().withdrawals.create(withdrawal, { idempotencyKey: '' }),
    () => clientOf().withdrawals.create(withdrawal, { idempotencyKey: ' invoice 7' }),
    () => clientOf().withdrawals.create(withdrawal, { idempotencyKey: 'fatura-á' }),
    () => clientOf().withdrawals.create(withdrawal, { idempotencyKey: 'x'.repeat(256) }),
    () => clientOf().withdrawals.create({ ...withdrawal, userId: '..' }),
  ];
  for (const call of wrong) await assert.rejects(async () => call(), TypeError);
  assert.equal(server.received.length, 0);
});
