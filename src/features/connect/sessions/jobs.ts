import type { Deps } from '#context';
import { dayMs } from '#platform/values/duration';
import type { Job } from '#platform/worker/jobs';
import { deleteEnded } from './queries.ts';

/** How long an old link is answered as used or expired; after that it is not found. */
const keptAfterEndMs = dayMs;

export const sessionJobs: readonly Job<Deps>[] = [
  {
    name: 'sessions.sweep',
    everyMs: 60_000,
    run: ({ db, clock }) => deleteEnded(db, new Date(clock().getTime() - keptAfterEndMs), 1_000),
  },
];
