import type { Db, Row } from '#platform/db/db';
import { queryByFilter } from '#platform/db/query-by-filter';
import type { DeliveryStatus, Endpoint } from '../endpoint.ts';

// ## Queueing

/** Whether an endpoint `e` receives an event `v`. A test is for one endpoint. */
export const receives = `(e.types is null or v.type = any (e.types))
  and (v.user_id is null or e.user_id = v.user_id or e.is_for_all_users)
  and (v.type <> 'webhook_endpoint.tested' or v.resource = 'webhook_endpoint:' || e.id)`;

/** With what is retried before it, if the endpoint is ordered. */
const dueAt = (now: string) => `greatest(${now}, (
  select max(p.due_at) from webhook_deliveries p
  where e.is_ordered and p.endpoint_id = e.id and p.resource = v.resource and p.status = 'due' and p.claimed_until is null))`;

export interface QueuedEvent {
  streamId: bigint;
  sequence: bigint;
  type: string;
  resource: string;
  userId: string | null;
}

export async function insertDeliveries(db: Db, events: readonly QueuedEvent[], now: Date): Promise<void> {
  const columns = ['streamId', 'sequence', 'type', 'resource', 'userId'] as const;
  await db.query(
    `insert into webhook_deliveries (endpoint_id, stream_id, sequence, resource, due_at, created_at)
     select e.id, v.stream_id, v.sequence, v.resource, ${dueAt('$6::timestamptz')}, $6
     from unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[], $5::uuid[])
       as v (stream_id, sequence, type, resource, user_id)
     join webhook_endpoints e on e.stream_id = v.stream_id and e.deleted_at is null and e.disabled_at is null
     join event_streams s on s.id = e.stream_id
     left join integrations i on i.id = s.integration_id
     where i.revoked_at is null and ${receives}
     order by v.stream_id, v.sequence`,
    [...columns.map((column) => events.map((event) => event[column])), now],
  );
}

/**
 * The number before the first event that an endpoint has not received: what waits, what failed since it is
 * failing, and what it missed earlier; null if nothing is missing.
 */
export async function selectMissedAfter(
  db: Db,
  { id, failingSince, resumeAfter }: Pick<Endpoint, 'id' | 'failingSince' | 'resumeAfter'>,
): Promise<bigint | null> {
  const [row] = await db.query<{ before: bigint | null }>(
    `select least(min(sequence) - 1, $3::bigint) as before from (
       select sequence from webhook_deliveries where endpoint_id = $1 and status = 'due'
       union all
       select sequence from webhook_deliveries where endpoint_id = $1 and status = 'failed' and ended_at >= $2) missed`,
    [id, failingSince, resumeAfter],
  );
  return row!.before;
}

/**
 * Ends some of what waits for endpoints that receive nothing more; returns how many. In batches, because a
 * queue may have a million.
 */
export async function cancelUnwanted(db: Db, now: Date, limit: number): Promise<number> {
  const rows = await db.query(
    `with ended as (
       select e.id from webhook_endpoints e join event_streams s on s.id = e.stream_id
       left join integrations i on i.id = s.integration_id
       where (e.disabled_at is not null or e.deleted_at is not null or i.revoked_at is not null)
         -- Sorted, so that PostgreSQL reads the index of what is due, and nothing that ended.
         and exists (select from webhook_deliveries d where d.endpoint_id = e.id and d.status = 'due'
           order by d.due_at, d.id limit 1 offset 0)
       order by e.id limit 100),
     waiting as materialized (
       select d.id from ended e cross join lateral (
         select d.id from webhook_deliveries d where d.endpoint_id = e.id and d.status = 'due' order by d.due_at, d.id limit $2) d
       limit $2)
     update webhook_deliveries set status = 'canceled', ended_at = $1, claimed_until = null
     where id in (select w.id from webhook_deliveries w where w.id in (select id from waiting) and w.status = 'due'
       order by w.id for no key update skip locked)
     returning 1`,
    [now, limit],
  );
  return rows.length;
}

export async function notifyWorkers(db: Db): Promise<void> {
  await db.query(`select pg_notify('events', '')`);
}

// ## Reading

export interface DeliveryRow {
  id: bigint;
  endpointId: string;
  eventId: string;
  type: string;
  sequence: bigint;
  status: DeliveryStatus;
  attempts: number;
  dueAt: Date;
  createdAt: Date;
  endedAt: Date | null;
  body: string;
}

const columns = `d.id, d.endpoint_id as "endpointId", v.id as "eventId", v.type, d.sequence, d.status, d.attempts,
  d.due_at as "dueAt", d.created_at as "createdAt", d.ended_at as "endedAt"`;
const deliveries =
  'webhook_deliveries d join events v on v.stream_id = d.stream_id and v.sequence = d.sequence';
/** A key of another user does not see what an endpoint for all users received about an account. */
const isVisible = '($2::uuid is null or v.user_id is null or v.user_id = $2)';

export interface DeliveryFilter {
  endpointId: string;
  /** Of the key that reads. */
  userId: string | undefined;
  status: DeliveryStatus | undefined;
  before: bigint | undefined;
  limit: number;
}

/** Newest first, without their bodies. */
export async function selectDeliveries(db: Db, filter: DeliveryFilter): Promise<DeliveryRow[]> {
  const { endpointId, userId, status, before, limit } = filter;
  return queryByFilter<DeliveryRow & Row>(
    db,
    `select ${columns}, '' as body from ${deliveries}
     where d.endpoint_id = $1 and ${isVisible} and ($3::text is null or d.status = $3) and ($4::bigint is null or d.id < $4)
     order by d.id desc limit $5`,
    [endpointId, userId ?? null, status ?? null, before ?? null, limit],
  );
}

export async function selectDelivery(
  db: Db,
  { endpointId, userId, deliveryId }: { endpointId: string; userId: string | undefined; deliveryId: bigint },
): Promise<DeliveryRow | undefined> {
  const [row] = await db.query<DeliveryRow & Row>(
    `select ${columns}, v.body from ${deliveries} where d.endpoint_id = $1 and ${isVisible} and d.id = $3`,
    [endpointId, userId ?? null, deliveryId],
  );
  return row;
}

export interface AttemptRow {
  number: number;
  url: string;
  startedAt: Date;
  durationMs: number;
  status: number | null;
  error: string | null;
  answer: string;
}

export async function selectAttempts(db: Db, deliveryId: bigint): Promise<AttemptRow[]> {
  return db.query<AttemptRow & Row>(
    `select number, url, started_at as "startedAt", duration_ms as "durationMs", status, error, answer
     from webhook_attempts where delivery_id = $1 order by number`,
    [deliveryId],
  );
}

/** How many deliveries wait for each endpoint; 1000 means 1000 or more. */
export async function countWaiting(
  db: Db,
  endpointIds: readonly string[],
): Promise<{ endpointId: string; count: number }[]> {
  return db.query<{ endpointId: string; count: number } & Row>(
    `select e.id as "endpointId", (select count(*)::integer from (
       select from webhook_deliveries d where d.endpoint_id = e.id and d.status = 'due' order by d.due_at limit 1000) due) as count
     from unnest($1::uuid[]) e (id)`,
    [endpointIds],
  );
}

/** What was answered last. */
export interface LastAttempt {
  lastAttemptAt: Date | null;
  lastStatus: number | null;
  lastError: string | null;
  lastDurationMs: number | null;
}

const lastAttempt = `left join lateral (
  select a.started_at as "lastAttemptAt", a.status as "lastStatus", a.error as "lastError", a.duration_ms as "lastDurationMs"
  from webhook_attempts a where a.delivery_id = d.id order by a.number desc limit 1) l on true`;
const lastColumns = 'l."lastAttemptAt", l."lastStatus", l."lastError", l."lastDurationMs"';

export async function selectLastAttempts(
  db: Db,
  deliveryIds: readonly string[],
): Promise<({ id: bigint } & LastAttempt)[]> {
  return db.query<{ id: bigint } & LastAttempt & Row>(
    `select d.id, ${lastColumns} from unnest($1::bigint[]) d (id) ${lastAttempt}`,
    [deliveryIds],
  );
}

export type TracedDelivery = DeliveryRow & LastAttempt & { url: string };

/** Deliveries of all events about a resource, oldest first, also to endpoints that are deleted now. */
export async function selectDeliveriesAbout(
  db: Db,
  resource: string,
  limit: number,
): Promise<TracedDelivery[]> {
  return db.query<TracedDelivery & Row>(
    `select ${columns}, '' as body, e.url, ${lastColumns}
     from events v join webhook_endpoints e on e.stream_id = v.stream_id
     join webhook_deliveries d on d.endpoint_id = e.id and d.sequence = v.sequence ${lastAttempt}
     where v.resource = $1 order by d.id limit $2`,
    [resource, limit],
  );
}

// ## Figures and sweeping

export async function selectDue(db: Db, now: Date): Promise<{ count: number; ageSeconds: number }> {
  const [row] = await db.query<{ count: number; ageSeconds: number }>(
    `select count(*)::integer as count, coalesce(extract(epoch from $1 - min(created_at)), 0)::float8 as "ageSeconds"
     from (select created_at from webhook_deliveries where status = 'due' limit 10000) d`,
    [now],
  );
  return row!;
}

/** Deletes endpoints, with their secrets, that were deleted by their owners and have no deliveries left. */
export async function sweepEndpoints(db: Db, before: Date, limit: number): Promise<number> {
  const rows = await db.query(
    `delete from webhook_endpoints where id in (
       select e.id from webhook_endpoints e where e.deleted_at < $1
         and not exists (select from webhook_deliveries d where d.endpoint_id = e.id) limit $2) returning 1`,
    [before, limit],
  );
  return rows.length;
}

/** Deletes ended deliveries with their attempts. */
export async function sweepDeliveries(db: Db, before: Date, limit: number): Promise<number> {
  const rows = await db.query(
    `delete from webhook_deliveries where id in (
       select id from webhook_deliveries where created_at < $1 and ended_at < $1 order by id limit $2) returning 1`,
    [before, limit],
  );
  return rows.length;
}
