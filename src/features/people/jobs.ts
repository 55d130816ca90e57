import type { Deps } from '#context';
import type { Job } from '#platform/worker/jobs';
import { deleteEnded } from './queries/sessions.ts';

/** How long a session that is over is kept. */
const keptMs = 86_400_000;

export const peopleJobs: readonly Job<Deps>[] = [
  {
    name: 'people.sweep',
    everyMs: 60_000,
    run: ({ db, clock }) => {
      const now = clock();
      const sessionsBefore = new Date(now.getTime() - keptMs);
      return deleteEnded(db, { sessionsBefore, challengesBefore: now }, 1_000);
    },
  },
];
