import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { waitReasons } from '#features/payouts';
import { makeFunds, makeKey, makeWithdrawal } from '#test/data/factories';
import { useHarness } from '#test/harness';
import { withdrawalGauges } from './gauges.ts';

// The age by which CausewayWithdrawalsOld fires. No worker runs, so each wait is set here.

const harness = useHarness();
const hour = 3_600;
const alerts = readFileSync(path.resolve(import.meta.dirname, '../../../docs/alerts.yml'), 'utf8');

/** Of pending withdrawals on polygon, now. */
async function read(name: string): Promise<number | undefined> {
  const gauge = withdrawalGauges.find((each) => each.name === name)!;
  const rows = await gauge.read(harness.deps);
  return rows.find(({ labels }) => labels.network === 'polygon' && labels.status === 'pending')?.value;
}
const readAge = () => read('causeway_withdrawals_oldest_age_seconds');

test('the age leaves out waits that people decided, as CausewayPayoutsWait does', async () => {
  const key = await makeKey(harness);
  await makeFunds(harness, key.userId, 'polygon', 'USDC', '100');
  const make = async (ageSeconds: number, waitingFor: string | null) => {
    const bulkId = await makeWithdrawal(harness, key);
    await harness.deps.db.transaction(async (db) => {
      await db.query('set local session_replication_role = replica');
      await db.query(
        `update withdrawals set status = 'pending', waiting_for = $2, created_at = now() - $3 * interval '1 second' where bulk_id = $1`,
        [bulkId, waitingFor, ageSeconds],
      );
    });
    return bulkId;
  };
  const waitFor = (bulkId: string, reason: string) =>
    harness.deps.db.query('update withdrawals set waiting_for = $2 where bulk_id = $1', [bulkId, reason]);

  const [, pattern] = /causeway_payouts_waiting\{reason!~"([^"]+)"\}/.exec(alerts)!;
  const oldest = await make(9 * hour, 'approval');
  assert.equal(await read('causeway_withdrawals_waiting'), 1);
  for (const reason of [...waitReasons, 'USDC']) {
    await waitFor(oldest, reason);
    const isDecided = new RegExp(`^(?:${pattern})$`).test(reason);
    assert.equal((await readAge()) === undefined, isDecided, reason);
  }
  // Older ones that people decided do not hide one that is stuck.
  await waitFor(oldest, 'user suspended');
  await make(5 * hour, 'gas');
  await make(2 * hour, null);
  const age = (await readAge())!;
  assert.ok(age >= 5 * hour && age < 6 * hour, String(age));
  assert.equal(await read('causeway_withdrawals_waiting'), 3);
});
