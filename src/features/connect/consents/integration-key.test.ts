import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RegisteredIntegration } from '#features/connect/integrations';
import { makeConsent, makeIntegration, makeKey } from '#test/data/factories';
import { ask, testConfig, testLog, useHarness } from '#test/harness';
import { buildApp } from '../../../app.ts';
import { createDeps } from '../../../main.ts';
import { createToken as createPartnerToken } from '../../keys/token.ts';

const harness = useHarness();
let integration: RegisteredIntegration;
let consentId: string;

test('200: an integration with a consent, for the tests below', async () => {
  integration = await makeIntegration(harness);
  consentId = (await makeConsent(harness, integration)).id;
});

const routes: [method: string, path: () => string, body?: object][] = [
  ['GET', () => `/api/v1/consent/${consentId}/user`],
  ['GET', () => `/api/v1/consent/${consentId}`],
  ['PATCH', () => `/api/v1/consent/${consentId}`, { scopes: ['email', 'profile', 'wallet', 'kyc'] }],
  [
    'POST',
    () => '/api/v1/consent/requests',
    {
      scopes: ['email'],
      redirect_uri: 'https://app.example.com/back',
      purpose: 'Open an account',
      duration: { type: 'one-time' },
    },
  ],
  ['DELETE', () => `/api/v1/consent/${consentId}`],
];

for (const [method, path, body] of routes) {
  const title = `${method} ${path().replace('undefined', '{id}')}`;
  const call = (headers: Record<string, string>) => harness.request(method, path(), { headers, body });
  const expectRefusal = async (headers: Record<string, string>, error: string, code: string) => {
    const answer = await call(headers);
    assert.deepEqual([answer.status, answer.body.error, answer.body.code], [401, error, code]);
  };
  const expectMissing = (headers: Record<string, string>) =>
    expectRefusal(headers, 'Unauthorized: x-api-key is required', 'missing_api_key');
  const expectInvalid = (apiKey: string) =>
    expectRefusal({ 'x-api-key': apiKey }, 'Unauthorized: x-api-key is invalid', 'invalid_api_key');

  test(`401 missing: ${title}, no header, an empty one, the key as a bearer token`, async () => {
    await expectMissing({});
    await expectMissing({ 'x-api-key': '' });
    await expectMissing({ authorization: `Bearer ${integration.token}` });
  });

  test(`401 invalid: ${title}, not a token, a changed, a mixed, a made-up one`, async () => {
    const other = await makeIntegration(harness);
    const { token } = integration;
    await expectInvalid('not-a-token');
    await expectInvalid(`Bearer ${token}`);
    await expectInvalid(token.toUpperCase());
    await expectInvalid(`${token}a`);
    await expectInvalid(token.slice(0, 25) + (token[25] === 'a' ? 'b' : 'a') + token.slice(26));
    await expectInvalid(token.slice(0, 21) + other.token.slice(21));
    await expectInvalid(harness.operatorToken);
  });

  test(`401 invalid: ${title}, a partner’s key, also under the other prefix`, async () => {
    const { token } = await makeKey(harness, { scopes: ['mcp', 'mcp:write', 'mcp_card_reveal'] });
    await expectInvalid(token);
    await expectInvalid(token.replace('cwk_', 'cwi_'));
    await expectInvalid(createPartnerToken().text);
  });

  test(`401 invalid: ${title}, a key whose overlap is over, and one of a revoked integration`, async () => {
    const rotated = await makeIntegration(harness);
    await harness.operator('integrations.rotate-key', { integrationId: rotated.id, overlapHours: 0 });
    await expectInvalid(rotated.token);
    const revoked = await makeIntegration(harness);
    await harness.operator('integrations.revoke', { integrationId: revoked.id });
    await expectInvalid(revoked.token);
  });

  test(`401 before anything of the body is read: ${title}`, async () => {
    if (!body) return;
    const answer = await harness.request(method, path(), { headers: { 'x-api-key': 'x' }, body: '{"half' });
    assert.equal(answer.status, 401);
  });

  test(`400 a second x-api-key is refused: ${title}`, async () => {
    const { port } = new URL(harness.url);
    const { request } = await import('node:http');
    const status = await new Promise((resolve, reject) => {
      const sent = request({
        port,
        host: '127.0.0.1',
        method,
        path: path(),
        headers: ['host', '127.0.0.1', 'x-api-key', integration.token, 'x-api-key', 'x'],
      });
      sent.on('response', (answer) => resolve(answer.resume().statusCode)).on('error', reject);
      sent.end();
    });
    assert.equal(status, 400);
  });

  test(`2xx ${title}: the key works`, async () => {
    assert.ok((await call({ 'x-api-key': integration.token })).status < 300);
  });
}

test('401: an integration’s key opens nothing that a partner’s or an operator’s opens', async () => {
  const { token } = await makeIntegration(harness);
  for (const presented of [token, token.replace('cwi_', 'cwk_')])
    for (const [method, path] of [
      ['GET', '/api/history?resource=account&feature=account-all'],
      ['GET', '/api/crypto/assets'],
      ['POST', '/mcp'],
      ['POST', '/operator/users.list'],
    ] as const) {
      for (const headers of [{ authorization: `Bearer ${presented}` }, { 'x-api-key': presented }] as Record<
        string,
        string
      >[]) {
        const { status } = await harness.request(method, path, {
          headers,
          ...(method === 'POST' && { body: {} }),
        });
        assert.equal(status, 401, path);
      }
    }
});

test('401 after integrations.revoke: on the next request of every server on the database', async () => {
  const fresh = await makeIntegration(harness);
  const { id } = await makeConsent(harness, fresh);
  const config = testConfig(harness.databaseUrl);
  const deps = createDeps(config, testLog());
  const server = await buildApp(deps, { ...config, servesApi: true });
  try {
    const url = await server.listen({ host: '127.0.0.1', port: 0 });
    const headers = { 'x-api-key': fresh.token };
    const show = () => ask(`${url}/api/v1/consent/${id}`, { headers });
    assert.equal((await show()).status, 200);
    await harness.operator('integrations.revoke', { integrationId: fresh.id });
    assert.equal((await show()).status, 401);
    assert.equal((await harness.request('GET', `/api/v1/consent/${id}/user`, { headers })).status, 401);
  } finally {
    await server.close();
    await deps.db.end();
  }
});
