import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeConsent, makeIntegration } from '#test/data/factories';
import { type Answer, useHarness } from '#test/harness';

const harness = useHarness();
const wireRequest = {
  scopes: ['email'],
  redirect_uri: 'https://app.example.com/back',
  purpose: 'Open an account',
  duration: { type: 'one-time' },
};

function assertRefused({ status, headers, body }: Answer, policy: string): void {
  const { requestId, ...rest } = body;
  assert.equal(status, 429);
  assert.deepEqual(rest, { error: 'Rate limit exceeded', code: 'rate_limit_exceeded' });
  assert.equal(headers.get('x-request-id'), requestId);
  assert.equal(headers.get('ratelimit-policy'), policy);
  assert.match(headers.get('ratelimit')!, /;r=0;t=\d+$/);
  const retryAfter = Number(headers.get('retry-after'));
  assert.ok(retryAfter >= 1 && retryAfter <= 10);
}

test('429: the 101st request of an integration in ten seconds, on every route and by whichever key; others go on', async () => {
  const [busy, other] = [await makeIntegration(harness), await makeIntegration(harness)];
  const { id } = await makeConsent(harness, busy);
  const { id: otherId } = await makeConsent(harness, other);
  const { body } = await harness.operator('integrations.rotate-key', { integrationId: busy.id });
  const call = (token: string, method: string, path: string, sent?: object) =>
    harness.request(method, `/api/v1/consent/${path}`, { headers: { 'x-api-key': token }, body: sent });
  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, at) => call(at % 2 ? busy.token : body.data.token, 'GET', id)),
  );
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
  assert.equal(answers[0]!.headers.get('ratelimit-policy'), '"connect";q=100;w=10');
  for (const [method, path, sent] of [
    ['GET', id],
    ['GET', `${id}/user`],
    ['PATCH', id, { scopes: ['email'] }],
    ['DELETE', id],
    ['POST', 'requests', wireRequest],
    ['GET', otherId],
  ] as const)
    assertRefused(await call(body.data.token, method, path, sent), '"connect";q=100;w=10');
  assert.equal((await call(other.token, 'GET', otherId)).status, 200);
  assert.equal((await call(`${busy.token}x`, 'GET', id)).status, 401);
});

test('429: the 21st consent that an integration asks for in ten seconds; what it has it still reads', async () => {
  const integration = await makeIntegration(harness);
  const { id } = await makeConsent(harness, integration);
  const headers = { 'x-api-key': integration.token };
  const ask = () => harness.request('POST', '/api/v1/consent/requests', { headers, body: wireRequest });
  const answers = await Promise.all(Array.from({ length: 20 }, ask));
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([201]));
  assertRefused(await ask(), '"connect-requests";q=20;w=10');
  assert.equal((await harness.request('GET', `/api/v1/consent/${id}/user`, { headers })).status, 200);
});
