import type { Deps } from '#context';
import { dayMs, hourMs } from '#platform/values/duration';
import type { Job } from '#platform/worker/jobs';
import { deleteEnded, expireApplications } from './queries.ts';

/** How long applications that ended are kept. */
const keptMs = 90 * dayMs;
const batch = 1_000;

export const applicationJobs: readonly Job<Deps>[] = [
  {
    name: 'integrations.expire-applications',
    everyMs: 60_000,
    run: ({ db, clock }) => expireApplications(db, clock(), batch),
  },
  {
    name: 'integrations.sweep-applications',
    everyMs: hourMs,
    run: ({ db, clock }) => deleteEnded(db, new Date(clock().getTime() - keptMs), batch),
  },
];
