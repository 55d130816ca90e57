// Rate limits and the request log in a separate database: shared by processes, and nothing of them in the one
// with the money.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { flushRequests } from '#features/requests';
import { createLog } from '#platform/observe/log';
import { makeKey } from '#test/data/factories';
import { jobs } from '../src/app.ts';
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

test('200 the request log is in that database, whichever process is asked, and is swept in both', async () => {
  const { token, partnerId, id: keyId } = await makeKey(first, { scopes: ['partner:admin'] });
  await first.request('GET', '/api/keys', { token });
  await flushRequests(first.deps);
  const { body } = await second.request('GET', `/api/requests?keyId=${keyId}`, { token });
  assert.deepEqual(
    body.items.map(({ route }: { route: string }) => route),
    ['/api/keys'],
  );
  const listed = await second.operator('requests.list', { keyId });
  assert.equal(listed.body.data.items.at(-1).route, '/api/keys');
  const databases = [first.deps.db, first.deps.limitsDb];
  const countIn = () =>
    Promise.all(
      databases.map(
        async (db) => (await db.query('select 1 from request_log where partner_id = $1', [partnerId])).length,
      ),
    );
  await flushRequests(second.deps);
  assert.deepEqual(await countIn(), [0, 2]);
  for (const db of databases) {
    await db.query(
      `insert into request_log select gen_random_uuid(), now() - interval '8 days', $1, $2, null, 'GET', '/x', '/x', 200, null, 1, '::1'`,
      [partnerId, keyId],
    );
  }
  await jobs.find(({ name }) => name === 'requests.sweep')!.run(first.deps);
  assert.deepEqual(await countIn(), [0, 2]);
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
