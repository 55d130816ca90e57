import type { Deps } from '#context';
import { dayMs } from '#platform/values/duration';
import type { Job } from '#platform/worker/jobs';
import { foldCountChanges } from './queries/counts.ts';
import { deleteUploads } from './uploads/queries.ts';

/** In batches that stay well below the statement timeout; the next turn does the rest. */
async function foldAll({ db }: Deps): Promise<void> {
  for (let turns = 0; turns < 50 && (await foldCountChanges(db)) > 1_000; turns++);
}

/** How long a file of payouts is kept. */
const uploadsKeptMs = dayMs;

const sweepUploads = ({ db, clock }: Deps) =>
  deleteUploads(db, new Date(clock().getTime() - uploadsKeptMs), 1_000);

export const withdrawalJobs: readonly Job<Deps>[] = [
  { name: 'withdrawals.sweep-uploads', everyMs: 600_000, run: sweepUploads },
  { name: 'withdrawals.fold-counts', everyMs: 5_000, run: foldAll },
];
