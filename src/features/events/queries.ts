import type { Db, Row } from '#platform/db/db';
import type { EventRecord } from './event.ts';

// ## Recording

export type NewRecord = Pick<EventRecord, 'type' | 'resource' | 'previousStatus' | 'facts' | 'recordedAt'> &
  Partial<Pick<EventRecord, 'partnerId' | 'integrationId' | 'userId'>>;

export async function insertRecord(db: Db, record: NewRecord): Promise<void> {
  const { type, resource, partnerId, integrationId, userId, previousStatus, facts, recordedAt } = record;
  await db.query(
    `with put as (
       insert into event_records (type, resource, partner_id, integration_id, user_id, previous_status, facts, recorded_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8) returning id)
     select event_records_wake(id) from put`,
    [
      type,
      resource,
      partnerId ?? null,
      integrationId ?? null,
      userId ?? null,
      previousStatus,
      JSON.stringify(facts),
      recordedAt,
    ],
  );
}

// ## Numbering

/** False if another worker is numbering: two at a time could invert events of one resource. */
export async function lockNumbering(db: Db): Promise<boolean> {
  const [row] = await db.query<{ locked: boolean }>(
    `select pg_try_advisory_xact_lock(hashtextextended('events.number', 0)) as locked`,
  );
  return row!.locked;
}

/** In the order of recording, which for one resource is the order of its changes. */
export async function selectRecords(
  db: Db,
  { parkedBefore, limit }: { parkedBefore: Date; limit: number },
): Promise<EventRecord[]> {
  return db.query<EventRecord & Row>(
    `select id, type, resource, partner_id as "partnerId", integration_id as "integrationId", user_id as "userId",
       previous_status as "previousStatus", facts, recorded_at as "recordedAt"
     from event_records where parked_at is null or parked_at < $2 order by id limit $1`,
    [limit, parkedBefore],
  );
}

export async function deleteRecords(db: Db, ids: readonly bigint[]): Promise<void> {
  await db.query('delete from event_records where id = any($1::bigint[])', [ids]);
}

export async function parkRecords(db: Db, ids: readonly bigint[], now: Date): Promise<void> {
  await db.query('update event_records set parked_at = $2 where id = any($1::bigint[])', [ids, now]);
}

/** Partners that can read the account of a user by a key. */
export async function selectPartnersOfUsers(
  db: Db,
  userIds: readonly string[],
  now: Date,
): Promise<{ userId: string; partnerId: string }[]> {
  return db.query<{ userId: string; partnerId: string } & Row>(
    `select distinct user_id as "userId", partner_id as "partnerId" from api_keys
     where user_id = any($1::uuid[]) and revoked_at is null and (expires_at is null or expires_at > $2) order by 1, 2`,
    [userIds, now],
  );
}

export interface Stream {
  id: bigint;
  partnerId: string | null;
  integrationId: string | null;
  lastSequence: bigint;
}

/** Locked until the commit. The house is no subscriber. */
export async function lockStreams(
  db: Db,
  { partnerIds, integrationIds }: { partnerIds: readonly string[]; integrationIds: readonly string[] },
): Promise<Stream[]> {
  const values = [partnerIds, integrationIds];
  const select = `select id, partner_id as "partnerId", integration_id as "integrationId", last_sequence as "lastSequence"
    from event_streams where partner_id = any($1::uuid[]) or integration_id = any($2::uuid[]) order by id for no key update`;
  const known = await db.query<Stream & Row>(select, values);
  if (known.length === partnerIds.length + integrationIds.length) return known;
  await db.query(
    `insert into event_streams (partner_id, integration_id)
     select id, null from partners where id = any($1::uuid[]) and not is_house
     union all
     select null, id from integrations where id = any($2::uuid[])
     on conflict do nothing`,
    values,
  );
  return db.query<Stream & Row>(select, values);
}

export interface NumberedEvent {
  streamId: bigint;
  sequence: bigint;
  id: string;
  type: string;
  resource: string;
  userId: string | null;
  recordedAt: Date;
  body: string;
}

/** Stores events of locked streams, and notifies their readers when it commits. */
export async function insertEvents(db: Db, events: readonly NumberedEvent[], now: Date): Promise<void> {
  const columns = ['streamId', 'sequence', 'id', 'type', 'resource', 'userId', 'recordedAt', 'body'] as const;
  await db.query(
    `with put as (
       insert into events (stream_id, sequence, id, type, resource, user_id, recorded_at, body, numbered_at)
       select *, $9::timestamptz from unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[], $5::text[], $6::uuid[],
         $7::timestamptz[], $8::text[])
       returning stream_id, sequence),
     moved as (
       update event_streams s set last_sequence = n.newest
       from (select stream_id, max(sequence) as newest from put group by 1) n where s.id = n.stream_id returning s.id)
     select pg_notify('events', case when count(*) <= 200 then string_agg(id::text, ' ') else '' end) from moved`,
    [...columns.map((column) => events.map((event) => event[column])), now],
  );
}

// ## Reading

/** Who reads: a partner sees account events of the user that owns the key, and its other events. */
export interface EventReader {
  partnerId?: string;
  userId?: string;
  integrationId?: string;
}

export interface FeedSlice {
  /** Null if nothing was ever recorded for this reader. */
  streamId: bigint | null;
  last: bigint;
  swept: bigint;
  /** How far was read: a filter may leave out everything up to there. */
  next: bigint;
  bodies: string[];
}

/**
 * Events after a number. At most `scanned` events are read, so that a filter that matches nothing costs no
 * more than a full page.
 */
export async function selectFeed(
  db: Db,
  { partnerId, integrationId, userId }: EventReader,
  {
    after,
    limit,
    scanned,
    types,
  }: { after: bigint; limit: number; scanned: number; types?: readonly string[] },
): Promise<FeedSlice> {
  const [row] = await db.query<FeedSlice & Row>(
    `with stream as materialized (
       select id, last_sequence, swept_sequence, greatest($3::bigint, swept_sequence) as start from event_streams
       where partner_id = $1 or integration_id = $2),
     page as materialized (
       select e.sequence, e.body from stream s join events e on e.stream_id = s.id
       where e.sequence > s.start and e.sequence <= s.start + $5
         and ($6::text[] is null or e.type = any ($6)) and ($2::uuid is not null or e.user_id is null or e.user_id = $7)
       order by e.sequence limit $4)
     select (select id from stream) as "streamId",
       coalesce((select last_sequence from stream), 0) as last, coalesce((select swept_sequence from stream), 0) as swept,
       coalesce(case when (select count(*) from page) = $4 then (select max(sequence) from page) end,
         (select greatest($3, least(last_sequence, start + $5)) from stream), $3) as next,
       array(select body from page order by sequence) as bodies`,
    [partnerId ?? null, integrationId ?? null, after, limit, scanned, types ?? null, userId ?? null],
  );
  return row!;
}

// ## Sweeping

/** Deletes the oldest events of a stream; returns how many. Readers learn how far by `swept_sequence`. */
export async function sweepEvents(db: Db, before: Date, limit: number): Promise<number> {
  const rows = await db.query<{ swept: bigint }>(
    `with old as (
       select s.id, (select max(sequence) from (
           select e.sequence, e.numbered_at from events e where e.stream_id = s.id order by e.sequence limit $2) oldest
         where numbered_at < $1) as newest
       from event_streams s
       where s.last_sequence > s.swept_sequence
         and (select e.numbered_at from events e where e.stream_id = s.id order by e.sequence limit 1) < $1
       limit 20 for no key update skip locked),
     swept as (delete from events e using old o where e.stream_id = o.id and e.sequence <= o.newest returning 1),
     moved as (update event_streams s set swept_sequence = o.newest from old o where s.id = o.id)
     select count(*) as swept from swept`,
    [before, limit],
  );
  return Number(rows[0]!.swept);
}

// ## Figures

export async function selectWaiting(
  db: Db,
): Promise<{ waiting: bigint; parked: bigint; ageSeconds: number }> {
  const [row] = await db.query<{ waiting: bigint; parked: bigint; ageSeconds: number }>(
    `select count(*) filter (where parked_at is null) as waiting, count(*) filter (where parked_at is not null) as parked,
       coalesce(extract(epoch from clock_timestamp() - min(recorded_at) filter (where parked_at is null)), 0)::float8 as "ageSeconds"
     from (select parked_at, recorded_at from event_records order by id limit 10000) r`,
  );
  return row!;
}
