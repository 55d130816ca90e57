import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import { makeKey } from '#test/data/factories';
import { lockAuditChains } from '#test/database/audit-head';
import { type Harness, useHarness } from './harness.ts';
import { waitUntil } from './wait-until.ts';

const patient = useHarness();
const impatient = useHarness({ databaseLockTimeoutMs: 500 });

/** Twelve operator commands behind a lock, more than there are connections for, until `release`. */
async function holdUp({ databaseUrl, deps, operator }: Harness) {
  const holder = new pg.Client({ connectionString: databaseUrl });
  await holder.connect();
  await holder.query('begin');
  await holder.query(lockAuditChains);
  const statuses: number[] = [];
  const commands = Array.from({ length: 12 }, async (_, n) => {
    const answer = await operator('partners.create', { name: `Held up ${n}` });
    statuses.push(answer.status);
    return answer;
  });
  await waitUntil('commands wait for the lock', async () => {
    if (statuses.length > 0) return true;
    const waiting = await deps.db.query(
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    return waiting.length > 0;
  });
  return { commands, statuses, release: () => holder.query('rollback').then(() => holder.end()) };
}

test('partners are answered while operator commands wait for a lock', async () => {
  const { token } = await makeKey(patient);
  const { commands, statuses, release } = await holdUp(patient);
  const history = await patient.request('GET', '/api/history?resource=account&feature=nothing', { token });
  assert.equal(history.body.error, 'Invalid feature');
  assert.deepEqual(statuses, [], 'every command still waits');
  await release();
  for (const { status } of await Promise.all(commands)) assert.equal(status, 200);
});

test('503, never 500, for operator commands behind a held lock', async () => {
  const { commands, statuses, release } = await holdUp(impatient);
  await waitUntil('one is refused', () => statuses.length > 0);
  await release();
  const answers = await Promise.all(commands);
  assert.ok(
    statuses.every((status) => status === 503 || status === 200),
    statuses.join(),
  );
  const refused = answers.find(({ status }) => status === 503)!;
  assert.equal(refused.body.error, 'Service unavailable');
  assert.ok(refused.headers.get('retry-after'));
  assert.equal((await impatient.operator('partners.create', { name: 'Afterwards' })).status, 200);
});
