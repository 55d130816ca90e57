import { contextFor, type Deps } from '#context';
import type { Job } from '#platform/worker/jobs';
import { expireConsents, revokeOrphans } from './end-consents.ts';

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
];
