import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { answer, hang, reset, useScriptedServer } from '../../../test/client/scripted-server.ts';
import { readRetryAfter } from './error-of.ts';
import { Causeway, CausewayError, InvalidRequestError, RateLimitExceededError } from './index.ts';
import { delayBefore } from './retry.ts';

const server = useScriptedServer();
const partner = () => new Causeway({ baseUrl: server.url, apiKey: 'cwk_test' });
const integration = () => new Causeway({ baseUrl: server.url, integrationKey: 'cwi_test' });
const assets = answer(200, { message: 'ok', data: { assets: [] } });
const limited = (seconds: string) =>
  answer(429, { error: 'Rate limit exceeded', code: 'rate_limit_exceeded' }, { 'retry-after': seconds });
/** What a call fails with. */
const failureOf = (call: Promise<unknown>): Promise<CausewayError> =>
  call.then(
    () => assert.fail('it did not fail'),
    (error) => error,
  );
const consent = {
  scopes: ['email' as const],
  redirect_uri: 'x',
  purpose: 'x',
  duration: { type: 'one-time' as const },
};

test('429 is repeated after Retry-After, for every call', async () => {
  server.play(limited('1'), assets);
  const startedAt = performance.now();
  await partner().withdrawals.assets();
  assert.ok(performance.now() - startedAt >= 1_000);
  server.play(limited('0'), answer(201, { consent_id: 'c-1' }));
  await integration().consents.request(consent);
  assert.equal(server.received.length, 4);
});

test('a Retry-After beyond the total time ends the call at once', async () => {
  server.play(limited('3600'));
  const startedAt = performance.now();
  await assert.rejects(async () => partner().withdrawals.assets(), RateLimitExceededError);
  assert.ok(performance.now() - startedAt < 20_000);
  assert.equal(server.received.length, 1);
});

test('retries are bounded in count and in total time', async () => {
  server.play(reset);
  await assert.rejects(async () => partner().withdrawals.assets({ maxRetries: 2 }), CausewayError);
  assert.equal(server.received.length, 3);
  server.play(hang);
  const startedAt = performance.now();
  await assert.rejects(async () => partner().withdrawals.assets({ totalTimeoutMs: 300 }), CausewayError);
  assert.ok(performance.now() - startedAt < 20_000);
});

test('a POST without an idempotency key is not repeated after a lost answer', async () => {
  for (const step of [reset, answer(503, {}), answer(500, 'oops')]) {
    server.received.length = 0;
    server.play(step);
    const error = await failureOf(integration().consents.request(consent));
    assert.ok(error instanceof CausewayError);
    assert.equal(error.isOutcomeUnknown, true);
    assert.equal(server.received.length, 1);
    assert.equal(server.received[0]!.headers['idempotency-key'], undefined);
  }
});

test('an error has status, code, request id, body and details; an unknown code is the base class', async () => {
  const details = [{ field: 'amount', message: 'must be above zero' }];
  server.play(answer(400, { error: 'amount must…', code: 'invalid_request', requestId: 'r-7', details }));
  const known = await failureOf(partner().withdrawals.assets());
  assert.ok(known instanceof InvalidRequestError);
  assert.deepEqual([known.name, known.status, known.code], ['InvalidRequestError', 400, 'invalid_request']);
  assert.deepEqual([known.requestId, known.message, known.details], ['r-7', 'amount must…', details]);
  server.play(answer(418, 'teapot', { 'x-request-id': 'r-8' }));
  const unknown = await failureOf(partner().withdrawals.assets());
  assert.equal(unknown.constructor, CausewayError);
  assert.deepEqual([unknown.code, unknown.requestId, unknown.body], ['http_418', 'r-8', 'teapot']);
  server.play(answer(418, { error: 'x', code: 'constructor' }));
  assert.equal((await failureOf(partner().withdrawals.assets())).constructor, CausewayError);
});

test('a redirect is not followed: the key must not reach another address', async () => {
  server.play(answer(307, '', { location: `${server.url}/elsewhere` }));
  await assert.rejects(async () => partner().withdrawals.assets({ maxRetries: 0 }), CausewayError);
  assert.deepEqual(
    server.received.map(({ url }) => url),
    ['/api/crypto/assets'],
  );
});

test('withResponse() has status, headers and body of the answer', async () => {
  server.play(answer(200, { message: 'ok', data: { assets: [] } }, { 'x-request-id': 'r-9' }));
  const { data, response } = await partner().withdrawals.assets().withResponse();
  assert.deepEqual(data, []);
  assert.deepEqual([response.status, response.headers.get('x-request-id')], [200, 'r-9']);
  assert.equal(await response.text(), '{"message":"ok","data":{"assets":[]}}');
});

test('each kind of key has its header and its methods, and a client does not show its key', async () => {
  server.play(assets, answer(200, { consent_id: 'c-1' }));
  await partner().withdrawals.assets();
  await integration().consents.retrieve('c-1');
  const [first, second] = server.received.map(({ headers }) => headers);
  assert.deepEqual([first!.authorization, first!['x-api-key']], ['Bearer cwk_test', undefined]);
  assert.deepEqual([second!.authorization, second!['x-api-key']], [undefined, 'cwi_test']);
  assert.throws(() => partner().consents.retrieve('c-1'), TypeError);
  assert.throws(() => integration().withdrawals.assets(), TypeError);
  assert.throws(() => integration().history.account(), TypeError);
  assert.throws(() => new Causeway({ baseUrl: server.url }), TypeError);
  assert.throws(() => new Causeway({ baseUrl: server.url, apiKey: 'two\nlines' }), TypeError);
  assert.throws(() => new Causeway({ baseUrl: server.url, apiKey: 'a', integrationKey: 'b' }), TypeError);
  assert.doesNotMatch(inspect(partner(), { depth: 9, showHidden: true }), /cwk_test/);
});

test('a base URL may end in a slash or have a path', async () => {
  server.play(assets);
  for (const [suffix, url] of [
    ['/', '/api/crypto/assets'],
    ['/pay/', '/pay/api/crypto/assets'],
  ] as const) {
    await new Causeway({ baseUrl: server.url + suffix, apiKey: 'cwk_test' }).withdrawals.assets();
    assert.equal(server.received.at(-1)!.url, url);
  }
});

test('a listener on a signal that lives on is removed after each call', async () => {
  server.play(assets);
  const { signal } = new AbortController();
  const listeners = new Set<unknown>();
  const { addEventListener, removeEventListener } = signal;
  signal.addEventListener = (type: string, listener: never, options: never) => {
    listeners.add(listener);
    addEventListener.call(signal, type, listener, options);
  };
  signal.removeEventListener = (type: string, listener: never) => {
    listeners.delete(listener);
    removeEventListener.call(signal, type, listener);
  };
  for (let count = 0; count < 3; count++) await partner().withdrawals.assets({ signal });
  assert.equal(listeners.size, 0);
});

test('Retry-After is seconds or a date; back-off grows up to eight seconds', () => {
  const now = Date.parse('2026-11-17T12:00:00Z');
  assert.equal(readRetryAfter('2', now), 2_000);
  assert.equal(readRetryAfter('Tue, 17 Nov 2026 12:00:05 GMT', now), 5_000);
  assert.equal(readRetryAfter('Tue, 17 Nov 2026 11:00:00 GMT', now), 0);
  for (const header of [null, '', 'soon', 'Infinity']) assert.equal(readRetryAfter(header, now), undefined);
  for (let retry = 0; retry < 20; retry++) {
    const delayMs = delayBefore(retry);
    assert.ok(delayMs >= Math.min(200 * 2 ** retry, 4_000) && delayMs <= Math.min(400 * 2 ** retry, 8_000));
  }
});
