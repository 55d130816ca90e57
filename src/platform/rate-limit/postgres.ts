import type { Db } from '../db/db.ts';
import type { RateLimiter } from './policy.ts';
import { admitHit, admitHits, deleteEmptyWindows } from './queries.ts';

/** For several processes: one row a subject, decided under its lock by the database's clock. */
export function createPostgresLimiter(db: Db): RateLimiter {
  return {
    admit: (policy, subject) => admitHit(db, policy, subject),
    admitByAll: (limits) => admitHits(db, limits),
  };
}

/**
 * Deletes rows whose windows are empty, in bulk. This changes no verdict: no row and an empty window mean the
 * same.
 */
export function sweepRateLimits(db: Db): Promise<void> {
  return deleteEmptyWindows(db);
}
