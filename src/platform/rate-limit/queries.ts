import type { Db } from '../db/db.ts';
import type { Limit, RatePolicy, RateVerdict } from './policy.ts';

/**
 * One statement. `on conflict do update` locks the row first and then evaluates `admit_hit` on its newest
 * version, so two requests of one subject queue here and each sees the other. `admit_hit` reads the clock
 * under that lock. A window may hold more than the quota after a release that lowered it: nothing remains
 * until it is below the new one.
 */
export async function admitHit(db: Db, policy: RatePolicy, subject: string): Promise<RateVerdict> {
  const [row] = await db.query<{ admitted: boolean; remaining: number; reset_ms: number }>(
    `insert into rate_windows as w (policy, subject, hits, admitted, expires_at)
     select $1, $2, array[t.at], true, t.at + $4::interval from (select clock_timestamp() as at) t
     on conflict (policy, subject) do update
       set (hits, admitted, expires_at) =
         (select h.hits, h.admitted, h.expires_at from admit_hit(w.hits, $3::integer, $4::interval) h)
     returning w.admitted,
       greatest(0, $3::integer - cardinality(w.hits)) as remaining,
       (extract(epoch from w.hits[greatest(1, cardinality(w.hits) - $3::integer + 1)] + $4::interval - clock_timestamp())
         * 1000)::float8 as reset_ms`,
    [policy.name, subject, policy.quota, `${policy.windowMs} milliseconds`],
  );
  return { admitted: row!.admitted, remaining: row!.remaining, resetMs: Math.max(0, row!.reset_ms) };
}

/** The same for several limits in one call, until one refuses. */
export async function admitHits(db: Db, limits: readonly Limit[]): Promise<RateVerdict[]> {
  const rows = await db.query<{ is_admitted: boolean; left_over: number; reset_ms: number }>(
    'select is_admitted, left_over, reset_ms from admit_hits($1::text[], $2::text[], $3::integer[], $4::interval[])',
    [
      limits.map(({ policy }) => policy.name),
      limits.map(({ subject }) => subject),
      limits.map(({ policy }) => policy.quota),
      limits.map(({ policy }) => `${policy.windowMs} milliseconds`),
    ],
  );
  return rows.map((row) => ({
    admitted: row.is_admitted,
    remaining: row.left_over,
    resetMs: Math.max(0, row.reset_ms),
  }));
}

// A request of a subject whose row is being deleted waits for the end of the statement: about 0.2 s for this
// many.
const deletedMax = 200_000;

export async function deleteEmptyWindows(db: Db): Promise<void> {
  await db.query(
    `delete from rate_windows where ctid = any(array(
       select ctid from rate_windows where expires_at < clock_timestamp() limit $1 for update skip locked))`,
    [deletedMax],
  );
}
