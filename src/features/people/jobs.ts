import type { Deps } from '#context';
import { dayMs } from '#platform/values/duration';
import type { Job } from '#platform/worker/jobs';
import { deleteEnded } from './queries/sessions.ts';

/** How long a session that is over is kept. */
const sessionsKeptMs = dayMs;
/** How long an old invitation is answered as used or expired; after that it is not found. */
const invitationsKeptMs = 30 * dayMs;

export const peopleJobs: readonly Job<Deps>[] = [
  {
    name: 'people.sweep',
    everyMs: 60_000,
    run: ({ db, clock }) => {
      const now = clock();
      const ago = (ms: number) => new Date(now.getTime() - ms);
      const before = { sessions: ago(sessionsKeptMs), challenges: now, invitations: ago(invitationsKeptMs) };
      return deleteEnded(db, before, 1_000);
    },
  },
];
