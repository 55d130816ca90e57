import type { Deps } from '#context';
import type { Job } from '#platform/worker/jobs';
import { foldHouseChanges } from './queries.ts';

/** In parts, each of which ends well within the time of a statement; few are left to the next turn. */
async function foldAll({ db }: Deps): Promise<void> {
  for (let turns = 0; turns < 50 && (await foldHouseChanges(db)) > 1_000; turns++);
}

export const ledgerJobs: readonly Job<Deps>[] = [{ name: 'ledger.fold-house', everyMs: 5_000, run: foldAll }];
