import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { usualTiming } from '#platform/worker/job-turn';
import { runJobs } from '#platform/worker/jobs';
import { usualLeadTiming } from '#platform/worker/lead';
import { makeWallet, useChain } from '#test/chain';
import { makeWorld, startProxy, type WorkerOptions, type World } from '#test/payout-world';
import { waitUntil } from '#test/wait-until';
import { ledPayoutJobs } from './jobs.ts';

const chain = useChain();

/** A worker with the jobs of production, with its own way to the node. */
async function startWorker(t: TestContext, world: World, options: WorkerOptions = {}) {
  const proxy = await startProxy(t, chain.rpcUrl);
  const { deps } = world.makeWorker({ rpcUrls: [proxy.url], ...options });
  // A machine that stands still for seconds would give the lead to the other one.
  const jobs = runJobs(ledPayoutJobs(), deps, usualTiming, { ...usualLeadTiming, leadMs: 120_000 });
  t.after(() => jobs.stop());
  return { proxy, hasAsked: () => proxy.counts.size > 0 };
}

async function expectCompleted(world: World, ids: readonly string[]): Promise<void> {
  await waitUntil('all are completed', async () => {
    await chain.mine(1);
    const stored = await Promise.all(ids.map((id) => world.read(id)));
    return stored.every(({ status }) => status === 'completed');
  });
  await world.expectPaid(...ids);
}

test('of two workers one pays, until it reaches no node: then the other one', async (t) => {
  const world = await makeWorld(t, chain);
  const one = await startWorker(t, world);
  await waitUntil('the first asks its node', one.hasAsked);
  const other = await startWorker(t, world);
  const first = [await world.withdraw(), await world.withdraw()];
  await expectCompleted(world, first);
  assert.deepEqual(other.proxy.counts, new Map(), 'the other one asks nothing');
  one.proxy.weather = (response) => response.destroy();
  const second = [await world.withdraw(), await world.withdraw()];
  await expectCompleted(world, second);
  assert.ok(other.hasAsked());
});

test('workers with different wallets pay at the same time', async (t) => {
  const world = await makeWorld(t, chain);
  const one = await startWorker(t, world);
  await waitUntil('the first asks its node', one.hasAsked);
  const other = await startWorker(t, world, { signerKeys: [await makeWallet(chain)] });
  await waitUntil('the other asks its node', other.hasAsked);
});
