import { contextFor, type Deps } from '#context';
import { dayMs, hourMs } from '#platform/values/duration';
import type { Job } from '#platform/worker/jobs';
import { expireConsents, revokeOrphans } from './end-consents.ts';
import { deleteReadCounts } from './queries/figures.ts';
import { activityDays } from './show-activity.ts';

/** Reads check the clock and the integration; these jobs only update lists and the audit log. */
export const consentJobs: readonly Job<Deps>[] = [
  {
    name: 'consents.expire',
    everyMs: 5_000,
    run: (deps) => expireConsents(contextFor(deps, { kind: 'worker', job: 'consents.expire' }, deps.log)),
  },
  {
    name: 'consents.revoke-orphans',
    everyMs: 5_000,
    run: (deps) =>
      revokeOrphans(contextFor(deps, { kind: 'worker', job: 'consents.revoke-orphans' }, deps.log)),
  },
  {
    name: 'consents.sweep-read-counts',
    everyMs: hourMs,
    run: ({ db, clock }) => {
      const before = new Date(clock().getTime() - (activityDays + 1) * dayMs);
      return deleteReadCounts(db, before, 10_000);
    },
  },
];
