import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { useHarness } from '#test/harness';
import { type Job, runJobs } from './jobs.ts';

const harness = useHarness();
const runsOf = async (job: string, outcome: string) => {
  const text = await harness.deps.metrics.registry.getSingleMetricAsString('causeway_job_runs_total');
  return Number(new RegExp(`job_name="${job}",outcome="${outcome}"\\} (\\d+)`).exec(text)?.[1] ?? 0);
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

test('of two workers one has the turn; a job has the whole pool and may open its own transactions', async () => {
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

type Deps = typeof harness.deps;
const hour = 3_600_000;

/** Runs jobs until the test is over. */
function start(t: TestContext, ...jobs: Job<Deps>[]): void {
  const running = runJobs(jobs, harness.deps);
  t.after(() => running.stop());
}

test('a shared job has turns on every worker at once', async (t) => {
  let together = 0;
  let most = 0;
  const job: Job<Deps> = {
    name: 'shared',
    everyMs: 5,
    isShared: true,
    run: async () => {
      most = Math.max(most, ++together);
      await new Promise((resolve) => setTimeout(resolve, 20));
      together--;
    },
  };
  start(t, job);
  start(t, job);
  await until(() => most === 2);
  assert.equal(await runsOf('shared', 'elsewhere'), 0);
});

test('a job that did something has its next turn at once, one that did nothing at its interval', async (t) => {
  let left = 20;
  let turns = 0;
  start(t, {
    name: 'busy',
    everyMs: hour,
    isShared: true,
    run: async () => {
      turns++;
      return left > 0 ? left-- : 0;
    },
  });
  await until(() => turns === 21);
  await new Promise((resolve) => setTimeout(resolve, 50));
  assert.equal(turns, 21);
});

test('a job that fails while it has much to do waits for its interval', async (t) => {
  let turns = 0;
  start(t, {
    name: 'failing',
    everyMs: hour,
    isShared: true,
    run: async () => {
      turns++;
      throw new Error('a fault');
    },
  });
  await until(() => turns === 1);
  await new Promise((resolve) => setTimeout(resolve, 50));
  assert.equal(turns, 1);
});

test('a job that did something wakes those that it names, and only then', async (t) => {
  const turns = { first: 0, second: 0, third: 0 };
  start(
    t,
    {
      name: 'first',
      everyMs: 40,
      isShared: true,
      wakes: ['second', 'nobody'],
      run: async () => (++turns.first === 3 ? 1 : 0),
    },
    {
      name: 'second',
      everyMs: hour,
      isShared: true,
      wakes: ['third'],
      run: async () => {
        turns.second++;
      },
    },
    {
      name: 'third',
      everyMs: hour,
      isShared: true,
      run: async () => {
        turns.third++;
      },
    },
  );
  await until(() => turns.first >= 6);
  assert.deepEqual([turns.second, turns.third], [2, 1]);
});

test('a notice on its channel gives a job a turn at once; one that comes during a turn gives it another', async (t) => {
  let turns = 0;
  let finish: (() => void) | undefined;
  start(t, {
    name: 'woken',
    everyMs: hour,
    isShared: true,
    wokenBy: 'jobs_test',
    run: async () => {
      turns++;
      await new Promise<void>((resolve) => {
        finish = resolve;
      });
    },
  });
  const notify = () => harness.deps.db.query(`select pg_notify('jobs_test', '')`);
  const settle = async () => {
    const before = turns;
    await new Promise((resolve) => setTimeout(resolve, 100));
    finish?.();
    await new Promise((resolve) => setTimeout(resolve, 50));
    return turns - before;
  };
  // The turn at the start, and the one for the connection that listens.
  await until(() => turns === 1);
  while ((await settle()) > 0) {}
  const before = turns;
  await notify();
  await until(() => turns === before + 1);
  // What woke it came after this turn had looked: there is one more, however many the notices.
  await notify();
  await notify();
  await new Promise((resolve) => setTimeout(resolve, 100));
  assert.equal(turns, before + 1);
  finish!();
  await until(() => turns === before + 2);
  finish!();
  await new Promise((resolve) => setTimeout(resolve, 50));
  assert.equal(turns, before + 2);
});

test('a job that is not configured never runs and has no metrics', async (t) => {
  let runs = 0;
  const never = async () => assert.fail('it is not configured');
  const worker = runJobs(
    [
      { name: 'not configured', everyMs: 10, isConfigured: () => false, run: never },
      { name: 'configured', everyMs: 10, isConfigured: () => true, run: async () => void runs++ },
    ],
    harness.deps,
  );
  t.after(() => worker.stop());
  await until(() => runs > 3);
  await worker.stop();
  const text = await harness.deps.metrics.registry.metrics();
  assert.match(text, /job_name="configured"/);
  assert.doesNotMatch(text, /job_name="not configured"/);
});
