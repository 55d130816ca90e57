import assert from 'node:assert/strict';
import { test } from 'node:test';
import { useHarness } from '../../test/harness.ts';
import { runJobs } from './jobs.ts';

const harness = useHarness();
const runsOf = async (job: string, outcome: string) => {
  const text = await harness.deps.metrics.registry.getSingleMetricAsString('causeway_job_runs_total');
  return Number(new RegExp(`job="${job}",outcome="${outcome}"\\} (\\d+)`).exec(text)?.[1] ?? 0);
};

async function until(isTrue: () => Promise<boolean> | boolean): Promise<void> {
  for (let waited = 0; !(await isTrue()); waited += 10) {
    assert.ok(waited < 10_000, 'it did not come about');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

test('a job that fails is counted, runs again, and holds no other up; stop waits for what is running', async () => {
  let goodRuns = 0;
  let isRunning = false;
  const jobs = runJobs(
    [
      { name: 'bad', everyMs: 10, run: () => Promise.reject(new Error('a fault')) },
      {
        name: 'good',
        everyMs: 10,
        run: async () => {
          isRunning = true;
          await new Promise((resolve) => setTimeout(resolve, 30));
          isRunning = false;
          goodRuns++;
        },
      },
    ],
    harness.deps,
  );
  await until(async () => (await runsOf('bad', 'failed')) >= 2 && goodRuns >= 2 && isRunning);
  await jobs.stop();
  assert.equal(isRunning, false);
  const atStop = goodRuns;
  await new Promise((resolve) => setTimeout(resolve, 50));
  assert.equal(goodRuns, atStop);
});

test('of two workers one has the turn; a job has the whole pool and may open transactions of its own', async () => {
  let together = 0;
  let most = 0;
  const job = {
    name: 'alone',
    everyMs: 5,
    run: async ({ db }: typeof harness.deps) => {
      most = Math.max(most, ++together);
      await db.transaction((tx) => tx.query('select 1'));
      assert.equal(typeof db.counts, 'function');
      await new Promise((resolve) => setTimeout(resolve, 20));
      together--;
    },
  };
  const workers = [runJobs([job], harness.deps), runJobs([job], harness.deps)];
  await until(async () => (await runsOf('alone', 'done')) >= 3 && (await runsOf('alone', 'elsewhere')) >= 1);
  await Promise.all(workers.map((worker) => worker.stop()));
  assert.equal(most, 1);
  assert.equal(await runsOf('alone', 'failed'), 0);
});
