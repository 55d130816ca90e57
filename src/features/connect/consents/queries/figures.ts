import type { Db } from '#platform/db/db';
import type { ConsentStatus } from '../consent.ts';

export async function countActive(db: Db): Promise<number> {
  const [row] = await db.query<{ count: number }>(
    `select count(*)::integer as count from consents where status = 'active'`,
  );
  return row!.count;
}

export async function upsertReadCount(
  db: Db,
  { integrationId, at, outcome }: { integrationId: string; at: Date; outcome: string },
): Promise<void> {
  await db.query(
    `insert into consent_read_counts as c (integration_id, hour, outcome, count)
     values ($1, date_trunc('hour', $2::timestamptz, 'UTC'), $3, 1)
     on conflict (integration_id, hour, outcome) do update set count = c.count + 1`,
    [integrationId, at, outcome],
  );
}

/** A batch of those that nobody looks at any more; returns how many it was. */
export async function deleteReadCounts(db: Db, before: Date, limit: number): Promise<number> {
  const deleted = await db.query(
    `delete from consent_read_counts where ctid in (
       select ctid from consent_read_counts where hour < $1 limit $2) returning 1`,
    [before, limit],
  );
  return deleted.length;
}

export async function countByStatus(
  db: Db,
  integrationId: string,
): Promise<{ status: ConsentStatus; count: number }[]> {
  return db.query<{ status: ConsentStatus; count: number }>(
    `select status, count(*)::float8 as count from consents where integration_id = $1 group by status`,
    [integrationId],
  );
}

export interface RequestedDay {
  day: string;
  requested: number;
  granted: number;
  rejected: number;
}

/** Days in UTC on which users were asked. Ids are in order of time, so only new rows are read. */
export async function selectRequestedDays(
  db: Db,
  integrationId: string,
  since: Date,
): Promise<RequestedDay[]> {
  return db.query<RequestedDay & Record<string, unknown>>(
    `select to_char(requested_at at time zone 'UTC', 'YYYY-MM-DD') as day, count(*)::float8 as requested,
       (count(*) filter (where decided_at is not null and status <> 'rejected'))::float8 as granted,
       (count(*) filter (where status = 'rejected'))::float8 as rejected
     from consents
     where integration_id = $1 and requested_at >= $2
       and id >= encode(substring(int8send((extract(epoch from $2::timestamptz - interval '1 day') * 1000)::bigint)
         from 3) || decode('00000000000000000000', 'hex'), 'hex')::uuid
     group by day order by day`,
    [integrationId, since],
  );
}

export interface ReadCountRow {
  hour: Date;
  outcome: string;
  count: number;
}

/** Newest first. */
export async function selectReadCounts(db: Db, integrationId: string, since: Date): Promise<ReadCountRow[]> {
  return db.query<ReadCountRow & Record<string, unknown>>(
    `select hour, outcome, count::float8 as count from consent_read_counts
     where integration_id = $1 and hour >= $2 order by hour desc, outcome`,
    [integrationId, since],
  );
}
