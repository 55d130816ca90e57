import type { Db } from '#platform/db/db';
import { queryByFilter } from '#platform/db/query-by-filter';
import { dayMs, hourMs } from '#platform/values/duration';
import type { Endpoint } from '../endpoint.ts';
import { receives } from './deliveries.ts';

/** Which events are queued again: one, or those of a range. */
export interface Selection {
  eventId?: string;
  from?: Date;
  to?: Date;
  afterSequence?: bigint;
  /** Only those that never arrived. */
  isMissedOnly: boolean;
}

export interface ReplayBounds {
  now: Date;
  /** How many events are queued at most. */
  limit: number;
  /** How many events of a range are read at most. */
  scanned: number;
}

export interface QueuedReplays {
  count: number;
  /** After this number the range goes on; null at its end. */
  next: bigint | null;
}

/** Clocks differ, and an event is recorded before it gets its number, usually by milliseconds. */
const earlierMs = hourMs;
const laterMs = dayMs;

/**
 * Queues stored events for one endpoint, in their order; several only if they do not wait already. The ends
 * of a period are found by a search of at most 50 steps. Then the range is read by primary key, at most
 * `scanned` events, so that a call costs the same in a stream of any length.
 */
export async function insertReplays(
  db: Db,
  endpoint: Endpoint,
  selection: Selection,
  bounds: ReplayBounds,
): Promise<QueuedReplays> {
  const { eventId, from, to, afterSequence = 0n, isMissedOnly } = selection;
  const start = from && (await selectSequenceBefore(db, endpoint.streamId, from.getTime() - earlierMs));
  const end = to && (await selectSequenceBefore(db, endpoint.streamId, to.getTime() + laterMs));
  const [row] = await queryByFilter<{ count: number; next: bigint | null }>(
    db,
    `with bounds as materialized (
       select f.sequence as first, least(f.sequence + $10 - 1, coalesce($9, s.last_sequence)) as upto,
         coalesce($9, s.last_sequence) as last
       from event_streams s cross join lateral (
         select v.sequence from events v where v.stream_id = s.id and v.sequence > $6 order by v.sequence limit 1) f
       where s.id = $11),
     chosen as materialized (
       select v.sequence, v.resource from webhook_endpoints e
       cross join lateral (${eventId === undefined ? ofRange : 'select v.* from events v where v.id = $3 and v.stream_id = $11'}) v
       where e.id = $1 and ${receives} and ($3::text is null or v.id = $3)
         and ($4::timestamptz is null or v.recorded_at >= $4) and ($5::timestamptz is null or v.recorded_at < $5)
         and not exists (select from webhook_deliveries d where d.endpoint_id = e.id and d.sequence = v.sequence
           and (d.status = 'due' and $3 is null or d.status = 'delivered' and $7))
       order by v.sequence limit $8),
     put as (
       insert into webhook_deliveries (endpoint_id, stream_id, sequence, resource, due_at, created_at)
       select $1, $11, sequence, resource, $2, $2 from chosen order by sequence)
     select count(*)::integer as count,
       case when count(*) = $8 then max(sequence) else (select upto from bounds where upto < last and $3 is null) end as next
     from chosen`,
    [
      endpoint.id,
      bounds.now,
      eventId ?? null,
      from ?? null,
      to ?? null,
      start !== undefined && start > afterSequence ? start : afterSequence,
      isMissedOnly,
      bounds.limit,
      end ?? null,
      bounds.scanned,
      endpoint.streamId,
    ],
  );
  return row!;
}

/** Lateral, so that PostgreSQL walks the primary key. */
const ofRange = `select r.* from bounds b cross join lateral (
  select * from events where stream_id = $11 and sequence between b.first and b.upto order by sequence offset 0) r`;

/** The last number that was given before an instant, by bisection: numbers and their times grow together. */
async function selectSequenceBefore(db: Db, streamId: bigint, atMs: number): Promise<bigint> {
  const [row] = await db.query<{ low: bigint }>(
    `with recursive search as (
       select swept_sequence as low, last_sequence as high from event_streams where id = $1
       union all
       select case when e.numbered_at < $2 then e.sequence else s.low end,
         case when e.numbered_at < $2 then s.high else (s.low + s.high) / 2 end
       from search s left join lateral (
         select v.sequence, v.numbered_at from events v
         where v.stream_id = $1 and v.sequence > (s.low + s.high) / 2 order by v.sequence limit 1) e on true
       where s.low < s.high)
     select low from search order by high - low limit 1`,
    [streamId, new Date(atMs)],
  );
  return row!.low;
}
