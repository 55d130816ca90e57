import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeKey, makeWithdrawal } from '#test/data/factories';
import { useHarness } from '#test/harness';
import { publish } from '#test/worlds/rules';
import { ruleJobs } from './jobs.ts';

const harness = useHarness();

test('payments, counters and verdicts that no window reaches are deleted, and the others stay', async () => {
  const { db } = harness.deps;
  const [old, recent] = [await makeKey(harness), await makeKey(harness)];
  await publish(harness, [
    { name: 'Budget', verdict: 'allow', sum: { upTo: '10', window: '30 days', per: 'partner' } },
  ]);
  for (const key of [old, old, recent]) await makeWithdrawal(harness, key);
  await db.query(
    `update rule_spends s set at = at - interval '71 days' from rule_counters c where c.id = s.counter_id and c.subject = $1`,
    [`USDT ${old.partnerId}`],
  );
  await db.query(`update rule_counters set last_at = last_at - interval '71 days' where subject = $1`, [
    `USDT ${old.partnerId}`,
  ]);
  await db.query(
    `update rule_verdicts v set withdrawal_id = uuidv7(interval '-71 days') from withdrawals w
     where w.id = v.withdrawal_id and w.partner_id = $1`,
    [old.partnerId],
  );
  for (let turn = 0; turn < 2; turn += 1) await ruleJobs[0]!.run(harness.deps);
  const [left] = await db.query(
    `select (select count(*)::int from rule_spends) as spends, (select count(*)::int from rule_counters) as counters,
       (select count(*)::int from rule_verdicts) as verdicts`,
  );
  assert.deepEqual(left, { spends: 1, counters: 1, verdicts: 1 });
  for (let made = 0; made < 9; made += 1) await makeWithdrawal(harness, recent);
  await assert.rejects(makeWithdrawal(harness, recent), /refused/);
  await makeWithdrawal(harness, old, { amount: '10' });
});
