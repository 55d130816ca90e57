import type { Deps } from '#context';
import type { Job } from '#platform/worker/jobs';
import { foldCountChanges } from './queries.ts';

/** In batches that stay well below the statement timeout; the next turn does the rest. */
async function foldAll({ db }: Deps): Promise<void> {
  for (let turns = 0; turns < 50 && (await foldCountChanges(db)) > 1_000; turns++);
}

export const withdrawalJobs: readonly Job<Deps>[] = [
  { name: 'withdrawals.fold-counts', everyMs: 5_000, run: foldAll },
];
