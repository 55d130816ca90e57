import type { Deps } from '#context';
import { dayMs } from '#platform/values/duration';
import type { Job } from '#platform/worker/jobs';
import { sweepCounts } from './queries/sweep.ts';

/** The longest window is 30 days; what waits to be signed is judged by the window of its creation. */
const keptMs = 70 * dayMs;

async function sweep({ db, clock }: Deps): Promise<void> {
  const before = new Date(clock().getTime() - keptMs);
  for (let turns = 0; turns < 50 && (await sweepCounts(db, before, 5_000)); turns++);
}

export const ruleJobs: readonly Job<Deps>[] = [{ name: 'rules.sweep', everyMs: 600_000, run: sweep }];
