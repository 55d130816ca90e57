import type { Db } from '#platform/db/db';
import { dayMs } from '#platform/values/duration';
import type { ConsentStatus } from './consent.ts';
import {
  countByStatus,
  type ReadCountRow,
  type RequestedDay,
  selectReadCounts,
  selectRequestedDays,
} from './queries/figures.ts';

/** How far back the figures go. */
export const activityDays = 30;
const errorsMax = 100;

interface ActiveDay extends RequestedDay {
  reads: number;
  refusedReads: number;
}

export interface Activity {
  consents: Record<ConsentStatus, number>;
  /** Newest first; days in UTC on which nothing happened are there, too. */
  days: ActiveDay[];
  /** Refused and failed reads by hour and code, newest first. */
  readErrors: { hour: string; code: string; count: number }[];
}

/** What happened to the consents of an integration, in figures. */
export async function showActivity(
  { db, now }: { db: Db; now: Date },
  integrationId: string,
): Promise<Activity> {
  const since = new Date(Math.floor(now.getTime() / dayMs - activityDays + 1) * dayMs);
  const [statuses, requested, reads] = await Promise.all([
    countByStatus(db, integrationId),
    selectRequestedDays(db, integrationId, since),
    selectReadCounts(db, integrationId, since),
  ]);
  const consents = { awaiting: 0, active: 0, rejected: 0, revoked: 0, expired: 0 };
  for (const { status, count } of statuses) consents[status] = count;
  const readErrors = reads
    .filter(({ outcome }) => outcome !== 'ok')
    .slice(0, errorsMax)
    .map(({ hour, outcome: code, count }) => ({ hour: hour.toISOString(), code, count }));
  return { consents, days: listDays(now, requested, reads), readErrors };
}

function listDays(
  now: Date,
  requested: readonly RequestedDay[],
  reads: readonly ReadCountRow[],
): ActiveDay[] {
  const sums = new Map<string, { reads: number; refusedReads: number }>();
  for (const { hour, outcome, count } of reads) {
    const day = hour.toISOString().slice(0, 10);
    const { reads: read, refusedReads } = sums.get(day) ?? { reads: 0, refusedReads: 0 };
    const isRead = outcome === 'ok';
    sums.set(day, { reads: read + (isRead ? count : 0), refusedReads: refusedReads + (isRead ? 0 : count) });
  }
  return Array.from({ length: activityDays }, (_, at) => {
    const day = new Date(now.getTime() - at * dayMs).toISOString().slice(0, 10);
    const {
      requested: asked = 0,
      granted = 0,
      rejected = 0,
    } = requested.find((one) => one.day === day) ?? {};
    return { day, requested: asked, granted, rejected, ...(sums.get(day) ?? { reads: 0, refusedReads: 0 }) };
  });
}
