import type { Deps } from '#context';
import type { Job } from '#platform/worker/jobs';
import { capRequests, sweepRequests } from './sweep-requests.ts';

/** Rows from before the limits had a separate database are in `db`. */
const databasesOf = ({ db, limitsDb }: Deps) => new Set([db, limitsDb]);

export const requestJobs: readonly Job<Deps>[] = [
  {
    name: 'requests.sweep',
    everyMs: 60_000,
    run: async (deps) => {
      for (const db of databasesOf(deps)) await sweepRequests({ db, now: deps.clock() });
    },
  },
  {
    name: 'requests.cap',
    everyMs: 600_000,
    run: async (deps) => {
      for (const db of databasesOf(deps)) await capRequests({ db });
    },
  },
];
