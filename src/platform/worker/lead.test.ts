import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { useHarness } from '#test/harness';
import { waitUntil } from '#test/wait-until';
import { usualTiming } from './job-turn.ts';
import { type Job, type RunningJobs, runJobs } from './jobs.ts';
import { HeldLead, type LeadTiming } from './lead.ts';

const harness = useHarness();
type Deps = typeof harness.deps;

/** Long where a busy machine would make a difference. */
const timing: LeadTiming = { leadMs: 10_000, believeMs: 100, yieldMs: 10_000, keepMs: 60_000 };

interface Worker {
  turns: { first: number; second: number };
  isAble: boolean;
  fails: boolean;
  jobs: RunningJobs;
}

/** A worker with two jobs under one lead. */
function startWorker(
  t: TestContext,
  name: string,
  { more, ...given }: Partial<Worker> & { more?: Partial<LeadTiming> } = {},
): Worker {
  const worker = { turns: { first: 0, second: 0 }, isAble: true, fails: false, ...given } as Worker;
  const job = (which: 'first' | 'second'): Job<Deps> => ({
    name: `${name} ${which}`,
    everyMs: 20,
    isShared: true,
    lead: { name: () => name, isAble: () => worker.isAble },
    run: async () => {
      worker.turns[which] += 1;
      if (worker.fails) throw new Error('a fault');
    },
  });
  worker.jobs = runJobs([job('first'), job('second')], harness.deps, usualTiming, { ...timing, ...more });
  t.after(() => worker.jobs.stop());
  return worker;
}

const hasTurns = ({ turns }: Worker) => turns.first > 0 && turns.second > 0;

/** Whether it has more turns of both jobs from now on. */
function goesOn(worker: Worker, timeoutMs?: number): Promise<void> {
  const before = { ...worker.turns };
  const { turns } = worker;
  const goesOn = () => turns.first > before.first + 2 && turns.second > before.second + 2;
  return waitUntil('it has the lead', goesOn, timeoutMs);
}

test('one worker runs all jobs of a lead; when it stops, the next takes over without a wait', async (t) => {
  const one = startWorker(t, 'stops');
  await waitUntil('the first leads', () => hasTurns(one));
  const other = startWorker(t, 'stops');
  await sleep(1_000);
  assert.deepEqual(other.turns, { first: 0, second: 0 });
  await goesOn(one);
  await one.jobs.stop();
  const startedAt = performance.now();
  await waitUntil('the other leads', () => hasTurns(other));
  assert.ok(performance.now() - startedAt < timing.leadMs, 'the lead was given back');
});

test('a worker that dies loses the lead after a while', async (t) => {
  const leadMs = 600;
  const dead = new HeldLead(harness.deps.db, 'dies', { ...timing, leadMs });
  const startedAt = performance.now();
  assert.equal(await dead.isOurs(), true);
  const other = startWorker(t, 'dies');
  await waitUntil('the other leads', () => hasTurns(other));
  assert.ok(performance.now() - startedAt >= leadMs);
  assert.equal(await dead.isOurs(), false, 'it was only frozen: it finds out');
});

for (const trouble of [{ isAble: false }, { fails: true }]) {
  test(`a worker lets another try: ${Object.keys(trouble)[0]}`, async (t) => {
    const name = `yields ${Object.keys(trouble)[0]}`;
    const one = startWorker(t, name, trouble);
    await waitUntil('the first leads', () => one.turns.first > 0);
    const other = startWorker(t, name);
    await goesOn(other);
    const before = { ...one.turns };
    await goesOn(other);
    assert.deepEqual(one.turns, before);
  });
}

test('where no worker is able, one goes on with what it can do', async (t) => {
  const one = startWorker(t, 'none', { isAble: false, more: { yieldMs: 300 } });
  // It has given it up once by then, and taken it back.
  await goesOn(one);
  const other = startWorker(t, 'none', { isAble: false });
  await sleep(1_000);
  const before = { ...one.turns };
  await sleep(200);
  assert.deepEqual(other.turns, { first: 0, second: 0 }, 'the lead does not go to and fro');
  assert.ok(one.turns.first > before.first);
});

test('workers with other names do not compete', async (t) => {
  const workers = [startWorker(t, 'one name'), startWorker(t, 'another name')];
  await waitUntil('both lead', () => workers.every(hasTurns));
});
