import type { Deps } from '#context';
import type { Job } from '#platform/worker/jobs';
import { deleteEnded } from './queries.ts';

/** For so long somebody who comes with an old link is told that it is used or expired, not that there is none. */
const keptAfterEndMs = 86_400_000;

export const sessionJobs: readonly Job<Deps>[] = [
  {
    name: 'sessions.sweep',
    everyMs: 60_000,
    run: ({ db, clock }) => deleteEnded(db, new Date(clock().getTime() - keptAfterEndMs), 1_000),
  },
];
