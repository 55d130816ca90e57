import type { Deps } from '../context.ts';
import type { Job } from '../platform/jobs.ts';
import { foldCountChanges } from './queries.ts';

export const withdrawalJobs: readonly Job<Deps>[] = [
  { name: 'withdrawals.fold-counts', everyMs: 5_000, run: ({ db }) => foldCountChanges(db) },
];
