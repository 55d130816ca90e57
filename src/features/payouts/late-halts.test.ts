import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { lockRows } from '#test/database/lock-rows';
import { useChain } from '#test/outside/chain';
import { waitUntil } from '#test/wait-until';
import { makeLanes, payTurns, signersOf, walletOf, withdrawMany } from '#test/worlds/lane';
import { backUp, letTimePass, makeWorld, type World } from '#test/worlds/payout';
import { foreignAfterMs } from './timing.ts';

const chain = useChain();

const recover = (world: World, place: number, fillNonces?: number) =>
  world.operator('wallets.recover', { ...walletOf(world, place), fromBlock: 0, fillNonces });

/** The recovery ends while a worker, which has read what was before, waits for the row of the wallet. */
async function recoverDuring(t: TestContext, world: World, place: number, look: () => Promise<unknown>) {
  const row = await lockRows(
    t,
    world.databaseUrl,
    'select from payout_signers where address = $1 for update',
    [world.wallets[place]],
  );
  const waiting = (count: number) =>
    waitUntil(`${count} wait for the row`, async () => {
      const waits = await world.db.query(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );
      return waits.length === count;
    });
  const recovering = recover(world, place, 0);
  await waiting(1);
  const looking = look();
  await waiting(2);
  await row.release();
  assert.equal((await recovering).body.isHalted, false);
  await looking;
  for (const { reason, isInDoubt } of await signersOf(world))
    assert.deepEqual([reason, isInDoubt], [null, false]);
}

describe('a wallet that is recovered meanwhile is not halted again', () => {
  test('by another wallet that has seen its transactions', async (t) => {
    const world = await makeLanes(t, chain);
    const before = await withdrawMany(world, 4);
    await payTurns(world);
    const id = await world.withdraw();
    await world.worker.hold();
    const [first, second] = world.worker.lanes;
    await world.operator('wallets.halt', { ...walletOf(world, 0), reason: 'a backup was restored' });
    assert.equal((await recover(world, 0, 2)).status, 200);
    for (let turn = 0; turn < 2; turn++) await first!.fill();
    await chain.mine(2);
    assert.equal((await recover(world, 1, 0)).body.isHalted, false);
    await world.db.query('update withdrawals set checked_at = now() where id = $1', [id]);
    await letTimePass(world);
    await recoverDuring(t, world, 0, () => second!.sign());
    await payTurns(world);
    await world.expectPaid(...before, id);
  });

  test('by another wallet that has seen it signed on another server', async (t) => {
    const world = await makeLanes(t, chain);
    const before = await withdrawMany(world, 4);
    await payTurns(world);
    await world.db.query(`update payout_signers set server = server || '0'`);
    const id = await world.withdraw();
    await payTurns(world);
    for (const { reason } of await signersOf(world)) assert.match(reason!, /the database server changed/);
    world.worker.advance(61_000);
    assert.equal((await recover(world, 0, 0)).body.isHalted, false);
    await recoverDuring(t, world, 1, () => world.worker.hold());
    await payTurns(world);
    await world.expectPaid(...before, id);
  });

  test('for a nonce that another payment has used, which the recovery has found', async (t) => {
    const old = await makeWorld(t, chain);
    const lost = await old.withdraw();
    await old.worker.hold();
    const databaseUrl = await backUp(old);
    await old.worker.sign();
    const world = await makeWorld(t, chain, { ...old.settings, databaseUrl });
    await world.db.query('update withdrawals set checked_at = now() where id = $1', [lost]);
    const id = await world.withdraw();
    await world.worker.hold();
    await world.worker.sign();
    await old.worker.send();
    await chain.mine(2);
    await world.operator('wallets.halt', { ...walletOf(world, 0), reason: 'a backup was restored' });
    await world.worker.settle();
    world.worker.advance(foreignAfterMs);
    await recoverDuring(t, world, 0, () => world.worker.settle());
    await payTurns(world);
    await world.expectPaid(lost, id);
  });

  test('for a nonce that its own payment has used, by lost bytes that the recovery has found', async (t) => {
    const old = await makeWorld(t, chain);
    const before = await old.withdraw();
    await old.pay();
    const lost = await old.withdraw();
    await old.worker.hold();
    const databaseUrl = await backUp(old);
    await old.worker.sign();
    // So that the same transfer is signed with other fees.
    await chain.mine(20);
    const world = await makeWorld(t, chain, { ...old.settings, databaseUrl });
    await world.worker.sign();
    await old.worker.send();
    await chain.mine(2);
    assert.notEqual((await world.attempts(lost))[0]!.hash, (await old.attempts(lost))[0]!.hash);
    await world.operator('wallets.halt', { ...walletOf(world, 0), reason: 'a backup was restored' });
    await world.worker.settle();
    world.worker.advance(foreignAfterMs);
    await recoverDuring(t, world, 0, () => world.worker.settle());
    await payTurns(world);
    await world.expectPaid(before, lost);
  });
});
