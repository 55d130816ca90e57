import type { Deps } from '#context';
import type { Job } from '#platform/worker/jobs';
import { capRequests, sweepRequests } from './sweep-requests.ts';

export const requestJobs: readonly Job<Deps>[] = [
  {
    name: 'requests.sweep',
    everyMs: 60_000,
    run: async ({ db, clock }) => {
      await sweepRequests({ db, now: clock() });
    },
  },
  {
    name: 'requests.cap',
    everyMs: 600_000,
    run: async ({ db }) => {
      await capRequests({ db });
    },
  },
];
