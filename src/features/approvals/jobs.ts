import type { Deps } from '#context';
import type { Job } from '#platform/worker/jobs';
import { expireWaiting } from './payments/expire-waiting.ts';
import { updateExpired } from './queries.ts';

export const approvalJobs: readonly Job<Deps>[] = [
  { name: 'approvals.expire', everyMs: 60_000, run: ({ db, clock }) => updateExpired(db, clock()) },
  { name: 'approvals.expire-payments', everyMs: 60_000, run: expireWaiting },
];
