import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { readSandboxConfig } from './sandbox-config.ts';

const secrets = {
  operatorToken: `cwo_${'0'.repeat(48)}`,
  loginToken: `cwo_${'1'.repeat(48)}`,
  encryptionKey: randomBytes(32).toString('base64'),
} as Parameters<typeof readSandboxConfig>[0];

test('servers of another deployment in the environment are not used: the demo’s requests stay here', () => {
  const config = readSandboxConfig(
    secrets,
    {
      DATABASE_URL: 'postgres://demo@127.0.0.1/demo',
      DATABASE_READ_URLS: 'postgres://replica.example.com/causeway',
      RATE_LIMIT_STORE: 'postgres',
      RATE_LIMIT_URL: 'postgres://limits.example.com/limits',
      ISSUER_URL: 'https://issuer.example.com',
    },
    'http://127.0.0.1:1/prices',
  );
  assert.deepEqual(
    [config.databaseUrl, config.databaseReadUrls, config.rateLimitUrl, config.issuer],
    ['postgres://demo@127.0.0.1/demo', [], '', undefined],
  );
});
