// Rate limits in a separate database: shared by processes, and nothing of them in the one with the money.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLog } from '#platform/observe/log';
import { makeKey } from '#test/data/factories';
import { type Role, serve } from '../src/main.ts';
import { cloneDatabase, testConfig, useHarness } from './harness.ts';

const limitsUrl = await cloneDatabase();
const first = useHarness({ rateLimitStore: 'postgres', rateLimitUrl: limitsUrl });
const second = useHarness(async () => ({
  databaseUrl: first.databaseUrl,
  rateLimitStore: 'postgres',
  rateLimitUrl: limitsUrl,
}));

test('429 for the third history request in two seconds, whichever process is asked', async () => {
  const { token, userId } = await makeKey(first);
  const ask = (harness: typeof first) =>
    harness.request('GET', '/api/history?resource=account&feature=account', { token });
  const statuses = (await Promise.all([ask(first), ask(second), ask(first), ask(second)])).map(
    ({ status }) => status,
  );
  assert.deepEqual(statuses.toSorted(), [200, 200, 429, 429]);
  const countIn = async (db: typeof first.deps.db) =>
    (await db.query('select 1 from rate_windows where subject = $1', [userId])).length;
  assert.equal(await countIn(first.deps.limitsDb), 1);
  assert.equal(await countIn(first.deps.db), 0);
});

test('a start without the database of the limits says which setting is wrong', async () => {
  const config = {
    ...testConfig(first.databaseUrl),
    databaseConnectTimeoutMs: 2_000,
    rateLimitStore: 'postgres' as const,
  };
  const start = (rateLimitUrl: string, role: Role) =>
    serve({ ...config, rateLimitUrl }, createLog({ level: 'silent' }), [role]);
  const nobody = 'postgres://127.0.0.1:1/limits';
  await assert.rejects(
    start(nobody, 'api'),
    /^Unreachable: The database at RATE_LIMIT_URL does not answer: /,
  );
  await first.deps.db.query('create database "empty limits"');
  const empty = new URL(first.databaseUrl);
  empty.pathname = '/empty limits';
  await assert.rejects(
    start(String(empty), 'api'),
    /The database at RATE_LIMIT_URL is .+: run `DATABASE_URL=<the value of RATE_LIMIT_URL> causeway migrate` first\.$/,
  );
  // Payouts do not depend on it.
  await (await start(nobody, 'worker')).stop();
});
