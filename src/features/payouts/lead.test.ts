import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { usualTiming } from '#platform/worker/job-turn';
import { runJobs } from '#platform/worker/jobs';
import { usualLeadTiming } from '#platform/worker/lead';
import { makeWallet, useChain } from '#test/outside/chain';
import { waitUntil } from '#test/wait-until';
import { makeWorld, startProxy, type WorkerOptions, type World } from '#test/worlds/payout';
import { ledPayoutJobs } from './jobs.ts';

const chain = useChain();

/** A worker with the jobs of production, with its own way to the node. */
async function startWorker(
  t: TestContext,
  world: World,
  { standbyMs = 2_000, ...options }: WorkerOptions & { standbyMs?: number } = {},
) {
  const proxy = await startProxy(t, chain.rpcUrl);
  const { deps } = world.makeWorker({ rpcUrls: [proxy.url], ...options });
  // A machine that stands still for seconds would give the lead to the other one.
  const timing = { ...usualLeadTiming, leadMs: 120_000, standbyMs };
  const jobs = runJobs(ledPayoutJobs(), deps, usualTiming, timing);
  t.after(() => jobs.stop());
  const calls = () => [...proxy.counts.values()].reduce((sum, count) => sum + count, 0);
  return { proxy, calls };
}

async function expectCompleted(world: World, ids: readonly string[]): Promise<void> {
  await waitUntil('all are completed', async () => {
    await chain.mine(1);
    const stored = await Promise.all(ids.map((id) => world.read(id)));
    return stored.every(({ status }) => status === 'completed');
  });
  await world.expectPaid(...ids);
}

test('of two workers one pays, and the other one looks now and then', async (t) => {
  const world = await makeWorld(t, chain);
  const one = await startWorker(t, world);
  await waitUntil('the first asks its node', () => one.calls() > 0);
  // Its looks must not be counted as shares of the work on a slow machine.
  const other = await startWorker(t, world, { standbyMs: 60_000 });
  for (let n = 0; n < 5; n++) await expectCompleted(world, [await world.withdraw(), await world.withdraw()]);
  assert.ok(other.calls() < one.calls() / 2, `${other.calls()} calls against ${one.calls()}`);
});

for (const trouble of ['no node', 'no screening provider'] as const) {
  test(`the worker that leads reaches ${trouble}: the other one pays`, async (t) => {
    const world = await makeWorld(t, chain);
    const nowhere = 'http://127.0.0.1:1';
    const cannot = trouble === 'no node' ? { rpcUrls: [nowhere] } : { screeningUrl: nowhere };
    await startWorker(t, world, cannot);
    await waitUntil('it leads', async () => (await leads(world)).length === 1);
    await startWorker(t, world);
    await expectCompleted(world, [await world.withdraw(), await world.withdraw()]);
    assert.equal((await leads(world))[0]!.turn, 1n, 'it still leads');
  });
}

test('workers with different wallets lead side by side', async (t) => {
  const world = await makeWorld(t, chain);
  await startWorker(t, world);
  await startWorker(t, world, { signerKeys: [await makeWallet(chain)] });
  await waitUntil('both lead', async () => (await leads(world)).length === 2);
});

const leads = ({ db }: World) =>
  db.query<{ job: string; turn: bigint }>(
    `select job, turn from job_leases where job like 'payouts polygon %' and expires_at > now()`,
  );
