import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeAddress } from '#test/data/factories';
import { lockRows } from '#test/database/lock-rows';
import { useChain } from '#test/outside/chain';
import { waitUntil } from '#test/wait-until';
import { backUp, letTimePass, makeWorld } from '#test/worlds/payout';
import { publish } from '#test/worlds/rules';
import type { Rule } from '../rules/wire.ts';
import { lockPending } from './queries/pending.ts';

const chain = useChain();
const everything: Rule = { name: 'Everything', verdict: 'allow' };
const ask: Rule = {
  name: 'Ask',
  verdict: 'approve',
  approvals: { count: 1, role: 'compliance' },
  amount: { over: '5' },
};

test('a payout that needs approval is held and waits; the others are paid', async (t) => {
  const world = await makeWorld(t, chain);
  await publish(world.harness, [everything, ask]);
  const [small, large] = [await world.withdraw({ amount: '5' }), await world.withdraw({ amount: '6' })];
  for (let turn = 0; turn < 2; turn += 1) {
    await world.pay();
    await letTimePass(world);
  }
  await world.expectPaid(small);
  const { status, waitingFor } = await world.read(large);
  assert.deepEqual([status, waitingFor], ['pending', 'approval']);
  assert.equal((await world.funds()).held, 6_000_000n);
  assert.equal((await world.paid()).length, 1);
  assert.ok(!world.worker.lines.some(({ msg }) => msg === 'payouts wait'), 'no trouble of the wallet');
});

test('rules that are published later hold for what is not signed yet, and not for what is', async (t) => {
  const world = await makeWorld(t, chain);
  const signed = await world.withdraw({ amount: '7' });
  await world.worker.hold();
  await world.worker.sign();
  const [waiting, denied, fine] = [
    await world.withdraw({ amount: '6' }),
    await world.withdraw({ amount: '11' }),
    await world.withdraw({ amount: '1' }),
  ];
  await world.worker.hold();
  await publish(world.harness, [everything, ask, { name: 'Large', verdict: 'deny', amount: { over: '10' } }]);
  await world.pay();
  await world.expectPaid(signed, fine);
  await world.expectFailed(denied, 'The withdrawal is denied by the rule “Large”');
  assert.equal((await world.read(waiting)).waitingFor, 'approval');
  assert.equal((await world.funds()).held, 6_000_000n);
});

test('one that was checked before rules were published is not signed after that', async (t) => {
  const world = await makeWorld(t, chain);
  const id = await world.withdraw({ amount: '6' });
  await world.worker.hold();
  const ruling = async () => (await lockPending(world.db, world.wallet, [id])).map((row) => row.ruling);
  assert.deepEqual(await ruling(), [null]);
  await publish(world.harness, [everything, ask]);
  assert.deepEqual(await ruling(), ['approval']);
});

test('what a worker claimed before rules were published is not signed after that, though it waits for the lane', async (t) => {
  const world = await makeWorld(t, chain);
  await world.worker.sign();
  const [waiting, denied, fine] = [
    await world.withdraw({ amount: '6' }),
    await world.withdraw({ amount: '11' }),
    await world.withdraw({ amount: '1' }),
  ];
  await world.worker.hold();
  const lane = await lockRows(t, world.databaseUrl, 'select from payout_signers for update');
  const signing = world.worker.sign();
  await waitUntil('the worker waits for the lane', async () => {
    const waits = await world.db.query(
      `select 1 from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock' and query ~ 'from payout_signers'`,
    );
    return waits.length > 0;
  });
  await publish(world.harness, [everything, ask, { name: 'Large', verdict: 'deny', amount: { over: '10' } }]);
  await lane.release();
  assert.equal(await signing, 1);
  const statuses = [waiting, denied, fine].map(async (id) => (await world.read(id)).status);
  assert.deepEqual(await Promise.all(statuses), ['pending', 'pending', 'processing']);
});

test('payments within a limit are signed, however long they waited and whatever came after', async (t) => {
  const world = await makeWorld(t, chain);
  const sum = { over: '10', window: 'hour', per: 'partner' } as const;
  const hourly: Rule = { name: 'Hourly', verdict: 'deny', sum };
  await publish(world.harness, [everything, hourly]);
  const first = [await world.withdraw({ amount: '4' }), await world.withdraw({ amount: '6' })];
  await assert.rejects(world.withdraw({ amount: '1' }), { code: 'denied_by_rule' });
  await world.db.query(`update rule_spends set at = at - interval '2 hours'`);
  await world.db.query(
    `update rule_verdicts set ats = (select array_agg(at - interval '2 hours') from unnest(ats) at)`,
  );
  const later = await world.withdraw({ amount: '10' });
  await world.pay();
  await world.expectPaid(...first, later);
});

test('a lower limit denies those that exceed it in their place, and no more', async (t) => {
  const world = await makeWorld(t, chain);
  const hourly = (over: string): Rule => ({
    name: 'Hourly',
    verdict: 'deny',
    sum: { over, window: 'hour', per: 'partner' },
  });
  await publish(world.harness, [everything, hourly('10')]);
  const ids = [
    await world.withdraw({ amount: '4' }),
    await world.withdraw({ amount: '3' }),
    await world.withdraw({ amount: '2' }),
  ];
  await publish(world.harness, [everything, hourly('7')]);
  await world.pay();
  await world.expectPaid(ids[0]!, ids[1]!);
  await world.expectFailed(ids[2]!, /denied by the rule “Hourly”/);
  // What failed no longer counts.
  await assert.rejects(world.withdraw({ amount: '0.000001' }), { code: 'denied_by_rule' });
  await publish(world.harness, [everything, hourly('9')]);
  await world.pay();
  const last = await world.withdraw({ amount: '2' });
  await world.pay();
  await world.expectPaid(last);
});

test('a lower limit fails the first that exceeds it, and pays those that fit then', async (t) => {
  const world = await makeWorld(t, chain);
  const daily = (over: string): Rule => ({
    name: 'Daily',
    verdict: 'deny',
    sum: { over, window: 'day', per: 'partner' },
  });
  await publish(world.harness, [everything, daily('100')]);
  const [large, small] = [await world.withdraw({ amount: '50' }), await world.withdraw({ amount: '3' })];
  await world.worker.hold();
  await publish(world.harness, [everything, daily('10')]);
  for (let turn = 0; turn < 3; turn += 1) {
    await world.pay();
    await letTimePass(world);
  }
  await world.expectFailed(large, /denied by the rule “Daily”/);
  await world.expectPaid(small);
});

test('a payout that waited longer than any window is not signed beyond a limit', async (t) => {
  const world = await makeWorld(t, chain);
  const id = await world.withdraw({ amount: '50' });
  await world.worker.hold();
  const allowance: Rule = {
    name: 'Allowance',
    verdict: 'allow',
    sum: { upTo: '10', window: 'day', per: 'partner' },
  };
  await world.db.query(`alter table withdrawals disable trigger withdrawals_guard_move`);
  await world.db.query(`update withdrawals set created_at = created_at - interval '40 days' where id = $1`, [
    id,
  ]);
  await world.db.query(`alter table withdrawals enable trigger withdrawals_guard_move`);
  await publish(world.harness, [allowance]);
  await world.pay();
  await world.expectFailed(id, /no rule allows it/);
  // Also where nothing was counted, such as after a sweep.
  await publish(world.harness, []);
  const other = await world.withdraw({ amount: '50' });
  await world.worker.hold();
  await publish(world.harness, [allowance]);
  await world.db.query('delete from rule_verdicts');
  await world.db.query('delete from rule_spends');
  await world.db.query('delete from rule_counters');
  await world.pay();
  await world.expectFailed(other, /no rule allows it/);
});

test('approvals that a payout needed at its creation stay needed under the same rules', async (t) => {
  const world = await makeWorld(t, chain);
  const to = makeAddress();
  await publish(world.harness, [everything, { ...ask, amount: { over: '5' }, destinations: ['first-time'] }]);
  const [small, large] = [
    await world.withdraw({ to, amount: '1' }),
    await world.withdraw({ to, amount: '50' }),
  ];
  for (let turn = 0; turn < 3; turn += 1) {
    await world.pay();
    await letTimePass(world);
  }
  assert.equal((await world.read(small)).status, 'completed');
  assert.deepEqual(
    [(await world.read(large)).status, (await world.read(large)).waitingFor],
    ['pending', 'approval'],
  );
  await publish(world.harness, [everything]);
  await letTimePass(world);
  await world.pay();
  assert.equal((await world.read(large)).status, 'completed', 'other rules do not need them');
});

test('a payout whose nonce was voided is judged again before it is signed again', async (t) => {
  const world = await makeWorld(t, chain);
  const [waiting, denied] = [await world.withdraw({ amount: '6' }), await world.withdraw({ amount: '11' })];
  await world.worker.hold();
  await world.worker.sign();
  const wallet = { network: 'polygon', address: world.wallet };
  await world.operator('wallets.halt', { ...wallet, reason: 'a test' });
  for (const nonce of [0, 1]) {
    assert.equal((await world.operator('wallets.void', { ...wallet, nonce })).status, 200);
  }
  await publish(world.harness, [everything, ask, { name: 'Large', verdict: 'deny', amount: { over: '10' } }]);
  assert.equal((await world.operator('wallets.resume', wallet)).status, 200);
  for (let turn = 0; turn < 2; turn += 1) {
    await letTimePass(world);
    await world.pay();
  }
  assert.deepEqual(await world.paid(), []);
  assert.equal((await world.read(waiting)).waitingFor, 'approval');
  await world.expectFailed(denied, 'The withdrawal is denied by the rule “Large”');
});

test('what waited for a pause is judged again when payouts are resumed', async (t) => {
  const world = await makeWorld(t, chain);
  await world.operator('payouts.pause', { reason: 'a test' });
  const [waiting, denied] = [await world.withdraw({ amount: '6' }), await world.withdraw({ amount: '11' })];
  await world.pay();
  assert.equal((await world.read(waiting)).waitingFor, 'paused');
  await publish(world.harness, [everything, ask, { name: 'Large', verdict: 'deny', amount: { over: '10' } }]);
  assert.equal((await world.operator('payouts.resume')).status, 200);
  await letTimePass(world);
  await world.pay();
  assert.deepEqual(await world.paid(), []);
  assert.equal((await world.read(waiting)).waitingFor, 'approval');
  await world.expectFailed(denied, 'The withdrawal is denied by the rule “Large”');
});

test('a request that is repeated after a restore is never denied if its payment was found on chain', async (t) => {
  const first = await makeWorld(t, chain);
  await first.withdraw();
  await first.pay();
  const fromBlock = Number(await chain.call<string>('eth_blockNumber'));
  const databaseUrl = await backUp(first);
  const wanted = { amount: '5', idempotencyKey: 'order-1', to: makeAddress() };
  const { id } = await first.request(wanted);
  await first.pay();
  const restored = await makeWorld(t, chain, { ...first.settings, databaseUrl });
  // It notices that the chain knows more, and halts.
  await restored.worker.sign();
  const recover = { network: 'polygon', address: restored.wallet, fromBlock };
  assert.equal((await restored.operator('wallets.recover', recover)).status, 200);
  await publish(restored.harness, [
    { name: 'Nothing', verdict: 'deny', sum: { over: '0', window: 'day', per: 'partner' } },
  ]);
  await assert.rejects(restored.withdraw({ amount: '5' }), { code: 'denied_by_rule' });
  assert.equal(await restored.withdraw(wanted), id);
  for (let turn = 0; turn < 2; turn += 1) {
    await letTimePass(restored);
    await restored.pay();
  }
  await restored.expectPaid(id);
});
