import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Config } from '#config/config';
import { useChain } from '#test/chain';
import { testConfig, testLog } from '#test/harness';
import { makeWorld, type World } from '#test/payout-world';
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
