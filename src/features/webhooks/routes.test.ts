import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runKeyBattery } from '#test/callers/battery';
import { makeIntegration } from '#test/data/factories';
import { useHarness } from '#test/harness';

const harness = useHarness();
const none = '/0198a6a0-0000-7000-8000-000000000001';

const routes = [
  ['POST', '', { url: 'https://hooks.example.com/in' }],
  ['GET', '', undefined],
  ['GET', none, undefined],
  ['PATCH', none, { enabled: false }],
  ['DELETE', none, undefined],
  ['POST', `${none}/rotate-secret`, undefined],
  ['POST', `${none}/test`, undefined],
  ['POST', `${none}/replay`, { missed: true }],
  ['GET', `${none}/deliveries`, undefined],
  ['GET', `${none}/deliveries/1`, undefined],
] as const;

for (const [method, path, body] of routes) {
  const title = `${method} /api/webhooks/endpoints${path.replace(none, '/…')}`;
  runKeyBattery(harness, {
    title,
    call: (options) =>
      harness.request(method, `/api/webhooks/endpoints${path}`, { ...options, ...(body && { body }) }),
    refusals: {
      missing: { status: 401, error: 'Unauthorized' },
      invalid: { status: 401, error: 'Unauthorized' },
      address: { status: 403, error: 'Forbidden: caller address is not on the allowlist of the key' },
    },
  });

  test(`401 of ${title} for integrations: no key, a wrong one, a revoked one`, async () => {
    const { id, token } = await makeIntegration(harness);
    await harness.operator('integrations.revoke', { integrationId: id });
    for (const headers of [{}, { 'x-api-key': 'wrong' }, { 'x-api-key': token }]) {
      const answer = await harness.request(method, `/api/v1/webhooks/endpoints${path}`, {
        headers: headers as Record<string, string>,
        ...(body && { body }),
      });
      assert.equal(answer.status, 401);
    }
  });
}

test('400 a description that is too long: says so, and in words', async () => {
  const { token } = await makeIntegration(harness);
  const { status, body } = await harness.request('POST', '/api/v1/webhooks/endpoints', {
    headers: { 'x-api-key': token },
    body: { url: 'https://hooks.example.com/in', description: 'x'.repeat(201) },
  });
  assert.deepEqual(
    [status, body.error],
    [400, 'description must have at most 200 characters'],
    JSON.stringify(body),
  );
  assert.deepEqual(
    body.details.map(({ field, message }: Record<string, string>) => `${field} ${message}`),
    ['description must have at most 200 characters', 'description must be empty'],
  );
});
