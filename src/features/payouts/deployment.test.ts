import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import type { Config } from '#config/config';
import { testConfig, testLog } from '#test/harness';
import { useChain } from '#test/outside/chain';
import { letTimePass, makeWorld, type World } from '#test/worlds/payout';
import { serve } from '../../main.ts';

const chain = useChain();

/** Starts a worker on the world's database, and stops it again. */
async function start(t: TestContext, { databaseUrl, settings }: World, more: Partial<Config>): Promise<void> {
  const config = testConfig(databaseUrl, { networks: [settings] });
  const server = await serve({ ...config, ...more }, testLog(), ['worker']);
  t.after(() => server.stop());
  await server.stop();
}

test('a worker of another deployment than the database’s is refused until an operator rebinds it', async (t) => {
  const world = await makeWorld(t, chain);
  await world.worker.sign();
  await start(t, world, { deploymentId: 'production' });
  await start(t, world, { deploymentId: 'production' });
  await assert.rejects(start(t, world, { deploymentId: 'staging' }), {
    name: 'StartupError',
    message:
      /belongs to the deployment "production", and DEPLOYMENT_ID is "staging".*causeway wallets rebind --deployment-id "staging"/,
  });
  const { status, body } = await world.operator('wallets.rebind', { deploymentId: 'staging' });
  assert.deepEqual([status, body], [200, { deploymentId: 'staging', former: 'production' }]);
  const [change] = await world.db.query<{ actor: string; after: unknown }>(
    `select actor_id as actor, after from audit_log where action = 'wallets.rebind'`,
  );
  assert.deepEqual(change!.after, { deploymentId: 'staging' });
  const [shown] = (await world.operator('wallets.show')).body.wallets;
  assert.match(shown.haltedReason, /rebound from deployment production to staging: run wallets recover/);
  await start(t, world, { deploymentId: 'staging' });
  await assert.rejects(
    start(t, world, { deploymentId: 'production' }),
    /belongs to the deployment "staging"/,
  );
});

test('a copy of the database under other settings signs nothing', async (t) => {
  const world = await makeWorld(t, chain);
  await start(t, world, { deploymentId: 'production' });
  const id = await world.withdraw();
  await world.worker.hold();
  await assert.rejects(start(t, world, { deploymentId: 'copy' }), { name: 'StartupError' });
  assert.equal((await world.read(id)).status, 'pending');
  assert.deepEqual(await world.paid(), []);
});

describe('a worker of the former deployment that still runs after a rebinding', () => {
  const rebind = async (world: World) => {
    const wallet = { network: 'polygon', address: world.wallet };
    await world.operator('wallets.rebind', { deploymentId: 'staging' });
    const recovered = await world.operator('wallets.recover', { ...wallet, fromBlock: 0, fillNonces: 0 });
    assert.deepEqual([recovered.status, recovered.body.isHalted], [200, false], recovered.body.error);
  };

  test('signs nothing once the wallet is recovered, and says why; the new one pays', async (t) => {
    const world = await makeWorld(t, chain);
    await start(t, world, {});
    const first = await world.withdraw();
    await world.pay();
    await rebind(world);
    const tooMuch = await world.withdraw({ amount: '5000' });
    const id = await world.withdraw();
    await letTimePass(world);
    await world.pay();
    assert.deepEqual(await world.db.query('select 1 from payout_slots where nonce > 0'), []);
    assert.equal((await world.read(tooMuch)).status, 'queued', 'nor is one failed');
    assert.ok(
      world.worker.lines.some(({ trouble }) =>
        /belongs to the deployment "staging", and DEPLOYMENT_ID is "test"/.test(String(trouble)),
      ),
      'the log says why',
    );
    const heir = world.makeWorker({ deploymentId: 'staging' });
    await heir.hold();
    await heir.sign();
    await heir.send();
    await chain.mine(2);
    await heir.settle();
    await world.expectPaid(first, id);
  });

  test('raises no fees, and fills no nonces', async (t) => {
    const world = await makeWorld(t, chain);
    await start(t, world, {});
    await chain.call('evm_setAutomine', false);
    t.after(() => chain.call('evm_setAutomine', true));
    const id = await world.withdraw();
    await world.worker.hold();
    await world.worker.sign();
    await world.worker.send();
    await rebind(world);
    world.worker.advance(world.settings.bumpAfterMs);
    assert.equal(await world.worker.bump(), 0);
    assert.equal((await world.attempts(id)).length, 1);
    const wallet = { network: 'polygon', address: world.wallet };
    await world.operator('wallets.halt', { ...wallet, reason: 'test' });
    await world.operator('wallets.recover', { ...wallet, fromBlock: 0, fillNonces: 1 });
    await world.worker.fill();
    assert.deepEqual(await world.db.query('select 1 from payout_fillers'), []);
  });

  test('signs nothing if the rebinding comes between its look and the signature', async (t) => {
    const world = await makeWorld(t, chain);
    await start(t, world, {});
    const first = await world.withdraw();
    await world.pay();
    await world.withdraw();
    await world.worker.hold();
    await world.db.query(`create function rebind_check() returns trigger language plpgsql as $$
      begin update deployment set id = 'staging'; return null; end $$`);
    await world.db.query(`create trigger rebind_check after update of checked_at on withdrawals
      for each statement execute function rebind_check()`);
    assert.equal(await world.worker.sign(), 0);
    assert.deepEqual(await world.db.query(`select 1 from payout_slots where state = 'open'`), []);
    await world.expectPaid(first);
  });
});

test('a worker that pays refuses synchronous replication without a standby that commits wait for', async (t) => {
  const world = await makeWorld(t, chain);
  await assert.rejects(start(t, world, { databaseReplication: 'synchronous' }), {
    name: 'StartupError',
    message: /^DATABASE_REPLICATION is synchronous, but the database server has no synchronous_standby_names/,
  });
  assert.deepEqual(await world.db.query('select 1 from deployment'), []);
});

test('a worker that pays refuses a server that loses commits, unless the setting allows it', async (t) => {
  const world = await makeWorld(t, chain);
  // The PostgreSQL of a test run has all three off.
  await assert.rejects(start(t, world, { databaseDurability: 'required' }), {
    name: 'StartupError',
    message:
      /fsync = off and full_page_writes = off and synchronous_commit = off.*DATABASE_DURABILITY=relaxed/,
  });
  assert.deepEqual(await world.db.query('select 1 from deployment'), []);
  await start(t, world, { databaseDurability: 'relaxed' });
});
