import type { Db } from '../db/db.ts';
import { readLeases } from './lease.ts';

/** A worker ends the turn of some job at least once a minute. */
const silentMaxSeconds = 300;
/** A job without a turn for ten of its intervals, and for a quarter of an hour, is stuck. */
export const stuckAfterSeconds = (everyMs: number) => Math.max(900, (everyMs / 1_000) * 10);

export interface StalledJobs {
  /** How long ago the last turn of any job ended; undefined if no worker ever ran. */
  newestSeconds: number | undefined;
  /** No worker runs. */
  isSilent: boolean;
  stuck: { name: string; ageSeconds: number }[];
}

/** Jobs that no worker has run for long, by their leases in the database. */
export async function findStalledJobs(
  db: Db,
  jobs: readonly { name: string; everyMs: number }[],
): Promise<StalledJobs> {
  const ages = new Map((await readLeases(db)).map(({ job, ageSeconds }) => [job, ageSeconds]));
  const newestSeconds = ages.size === 0 ? undefined : Math.min(...ages.values());
  const stuck = jobs.flatMap(({ name, everyMs }) => {
    const ageSeconds = ages.get(name) ?? 0;
    return ageSeconds > stuckAfterSeconds(everyMs) ? [{ name, ageSeconds }] : [];
  });
  return { newestSeconds, isSilent: newestSeconds === undefined || newestSeconds > silentMaxSeconds, stuck };
}
