import type { Deps } from '#context';
import type { Job } from '#platform/worker/jobs';
import { updateExpired } from './queries.ts';

export const approvalJobs: readonly Job<Deps>[] = [
  { name: 'approvals.expire', everyMs: 60_000, run: ({ db, clock }) => updateExpired(db, clock()) },
];
