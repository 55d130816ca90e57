import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { useHarness } from '#test/harness';
import { waitUntil } from '#test/wait-until';
import { usualTiming } from './job-turn.ts';
import { type Job, type RunningJobs, runJobs } from './jobs.ts';
import { Lead, type LeadTiming } from './lead.ts';

const harness = useHarness();
type Deps = typeof harness.deps;

/** Long where a busy machine would make a difference. */
const timing: LeadTiming = { leadMs: 60_000, believeMs: 100, standbyMs: 600_000 };

interface Worker {
  turns: { first: number; second: number };
  jobs: RunningJobs;
}

/** A worker with two jobs under one lead. */
function startWorker(t: TestContext, lead: string, more: Partial<LeadTiming> = {}): Worker {
  const turns = { first: 0, second: 0 };
  const job = (which: 'first' | 'second'): Job<Deps> => ({
    name: `${lead} ${which}`,
    everyMs: 20,
    isShared: true,
    lead: () => lead,
    run: async () => {
      turns[which] += 1;
    },
  });
  const jobs = runJobs([job('first'), job('second')], harness.deps, usualTiming, { ...timing, ...more });
  t.after(() => jobs.stop());
  return { turns, jobs };
}

const leads = ({ turns }: Worker) => turns.first > 3 && turns.second > 3;

test('one worker runs all jobs of a lead; when it stops, the next takes over without a wait', async (t) => {
  const one = startWorker(t, 'stops');
  await waitUntil('the first leads', () => leads(one));
  const other = startWorker(t, 'stops');
  await sleep(1_000);
  assert.deepEqual(other.turns, { first: 1, second: 1 }, 'it has looked once');
  const before = { ...one.turns };
  await waitUntil('the first goes on', () => one.turns.first > before.first);
  await one.jobs.stop();
  await waitUntil('the other leads', () => leads(other), timing.leadMs / 2);
});

test('a worker that is frozen or dead loses the lead after a while', async (t) => {
  const leadMs = 600;
  const dead = new Lead(harness.deps, 'dies', { ...timing, leadMs });
  const startedAt = performance.now();
  assert.equal(await dead.isOurs(), true);
  const other = startWorker(t, 'dies');
  await waitUntil('the other leads', () => leads(other));
  assert.ok(performance.now() - startedAt >= leadMs);
  assert.equal(await dead.isOurs(), false, 'it was only frozen: it finds out');
});

test('a worker that does not lead has turns now and then, in case the other one cannot work', async (t) => {
  const one = startWorker(t, 'stands by');
  await waitUntil('the first leads', () => leads(one));
  const other = startWorker(t, 'stands by', { standbyMs: 300 });
  const startedAt = performance.now();
  await waitUntil('it has more turns', () => other.turns.first >= 4);
  assert.ok(performance.now() - startedAt >= 3 * 300);
  assert.ok(one.turns.first > other.turns.first);
});

test('workers with other names do not compete', async (t) => {
  const workers = [startWorker(t, 'one name'), startWorker(t, 'another name')];
  await waitUntil('both lead', () => workers.every(leads));
});
