import type { Db, Row } from '#platform/db/db';
import type { EventRecord } from './event.ts';

// ## Recording

export type NewRecord = Pick<EventRecord, 'type' | 'resource' | 'previousStatus' | 'facts' | 'recordedAt'> &
  Partial<Pick<EventRecord, 'partnerId' | 'integrationId' | 'userId' | 'readerUserId'>>;

export async function insertRecord(db: Db, record: NewRecord): Promise<void> {
  const { type, resource, partnerId, integrationId, userId, readerUserId, previousStatus, facts } = record;
  await db.query(
    `with put as (
       insert into event_records (type, resource, partner_id, integration_id, user_id, reader_user_id, previous_status, facts,
         recorded_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9) returning id)
     select event_records_wake(id) from put`,
    [
      type,
      resource,
      partnerId ?? null,
      integrationId ?? null,
      userId ?? null,
      readerUserId ?? null,
      previousStatus,
      JSON.stringify(facts),
      record.recordedAt,
    ],
  );
}

// ## Numbering

const isNoted = 'exists (select from event_numbering where server = database_server())';

const numberingLock = `hashtextextended('events.number', 0)`;

/** Whether there are records, or `noteServer` would note something new. */
export async function hasWork(db: Db): Promise<boolean> {
  const [row] = await db.query<{ hasWork: boolean }>(
    `select exists (select from event_records) or not ${isNoted} as "hasWork"`,
  );
  return row!.hasWork;
}

/** Waits until no worker is numbering, and keeps them from it until the commit. */
export async function holdNumbering(db: Db): Promise<void> {
  await db.query(`select pg_advisory_xact_lock(${numberingLock})`);
}

/** Not locked if another worker is numbering: two at a time could invert events of one resource. */
export async function lockNumbering(db: Db): Promise<{ isLocked: boolean; isNoted: boolean }> {
  const [row] = await db.query<{ isLocked: boolean; isNoted: boolean }>(
    `select pg_try_advisory_xact_lock(${numberingLock}) as "isLocked",
       ${isNoted} as "isNoted"`,
  );
  return row!;
}

/** Notes which server numbers from now on, and returns whether another one did before. */
export async function noteServer(db: Db): Promise<boolean> {
  const [row] = await db.query<{ isChanged: boolean }>(
    `insert into event_numbering (server) values (database_server())
       on conflict (is_only) do update set server = excluded.server
       returning coalesce(old.server <> new.server, false) as "isChanged"`,
  );
  return row!.isChanged;
}

const columns = `r.id, r.is_bulk as "isBulk", r.type, r.resource, r.partner_id as "partnerId",
  r.integration_id as "integrationId", r.user_id as "userId",
  r.reader_user_id as "readerUserId", r.previous_status as "previousStatus", r.facts,
  r.recorded_at as "recordedAt"`;

/** Later records of a resource wait for one that is parked. */
const isFree = 'not exists (select from event_parked p where p.resource = r.resource)';

/** In the order of recording, which for one resource is the order of its changes. */
export async function selectRecords(
  db: Db,
  { limit, bulkLimit }: { limit: number; bulkLimit: number },
): Promise<EventRecord[]> {
  return db.query<EventRecord & Row>(
    `(select ${columns} from event_records r where not r.is_bulk and ${isFree} order by r.is_bulk, r.id limit $1)
     union all
     (select ${columns} from event_records r where r.is_bulk and ${isFree} order by r.is_bulk, r.id limit $2)
     order by id`,
    [limit, bulkLimit],
  );
}

/** The oldest parked records of their resources that were not tried since then. */
export async function selectParked(db: Db, before: Date, limit: number): Promise<EventRecord[]> {
  return db.query<EventRecord & Row>(
    `select ${columns} from event_parked r where r.parked_at < $1
       and not exists (select from event_parked p where p.resource = r.resource and p.id < r.id)
     order by r.id limit $2`,
    [before, limit],
  );
}

export async function deleteRecords(db: Db, records: readonly EventRecord[]): Promise<void> {
  await db.query(
    `delete from event_records r using unnest($1::boolean[], $2::bigint[]) as d (is_bulk, id)
     where r.is_bulk = d.is_bulk and r.id = d.id`,
    [records.map(({ isBulk }) => isBulk), records.map(({ id }) => id)],
  );
}

/** False if another worker was first, or an earlier record of its resource is parked. */
export async function takeRecord(db: Db, { isBulk, id, resource }: EventRecord): Promise<boolean> {
  const isFirst = 'not exists (select from event_parked p where p.resource = $3 and p.id < $2)';
  const rows = await db.query(
    `with fresh as (delete from event_records where is_bulk = $1 and id = $2 and ${isFirst} returning 1),
     parked as (delete from event_parked where id = $2 and ${isFirst} returning 1)
     select from fresh union all select from parked`,
    [isBulk, id, resource],
  );
  return rows.length > 0;
}

/** Puts a record aside that was taken. */
export async function parkRecord(db: Db, record: EventRecord, reason: string, now: Date): Promise<void> {
  const { id, isBulk, type, resource, partnerId, integrationId, userId, readerUserId, previousStatus } =
    record;
  await db.query(
    `insert into event_parked (id, is_bulk, type, resource, partner_id, integration_id, user_id, reader_user_id,
       previous_status, facts, recorded_at, parked_at, reason)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
    [
      id,
      isBulk,
      type,
      resource,
      partnerId,
      integrationId,
      userId,
      readerUserId,
      previousStatus,
      JSON.stringify(record.facts),
      record.recordedAt,
      now,
      reason,
    ],
  );
}

/**
 * Partners with a key of a user. Whether the key works is checked when it reads, and when a webhook is sent.
 */
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

/** Creates the streams of subscribers that have none. The house is no subscriber. */
export async function openStreams(
  db: Db,
  {
    partnerIds = [],
    integrationIds = [],
  }: { partnerIds?: readonly string[]; integrationIds?: readonly string[] },
): Promise<void> {
  await db.query(
    `insert into event_streams (partner_id, integration_id, last_sequence)
     select s.*, coalesce((select begins_after from event_numbering for share), 0) from (
       select id, null::uuid from partners where id = any($1::uuid[]) and not is_house
       union all
       select null, id from integrations where id = any($2::uuid[])) s
     on conflict do nothing`,
    [partnerIds, integrationIds],
  );
}

/** Locked until the commit. */
export async function lockStreams(
  db: Db,
  { partnerIds, integrationIds }: { partnerIds: readonly string[]; integrationIds: readonly string[] },
): Promise<Stream[]> {
  const values = [partnerIds, integrationIds];
  const select = `select id, partner_id as "partnerId", integration_id as "integrationId", last_sequence as "lastSequence"
    from event_streams where partner_id = any($1::uuid[]) or integration_id = any($2::uuid[]) order by id for no key update`;
  const known = await db.query<Stream & Row>(select, values);
  if (known.length === partnerIds.length + integrationIds.length) return known;
  await openStreams(db, { partnerIds, integrationIds });
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
  /** An operator sees the events of all users of a partner. */
  seesAll?: true;
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
  { partnerId, integrationId, userId, seesAll }: EventReader,
  {
    after,
    limit,
    scanned,
    types,
  }: { after: bigint; limit: number; scanned: number; types?: readonly string[] },
): Promise<FeedSlice> {
  const [row] = await db.query<FeedSlice & Row>(
    `with stream as materialized (
       select s.id, s.last_sequence, s.swept_sequence, f.sequence as first,
         -- A range of numbers, from the first that exists: after a restore numbers jump.
         least(s.last_sequence, coalesce(f.sequence + $5 - 1, s.last_sequence)) as upto
       from event_streams s left join lateral (
         select v.sequence from events v where v.stream_id = s.id and v.sequence > $3 order by v.sequence limit 1) f on true
       where s.partner_id = $1 or s.integration_id = $2),
     page as materialized (
       -- Lateral, so that PostgreSQL walks the index: joined, it read the whole table.
       select e.sequence, e.body from stream s cross join lateral (
         select v.sequence, v.body from events v
         where v.stream_id = s.id and v.sequence >= s.first and v.sequence <= s.upto
           and ($6::text[] is null or v.type = any ($6)) and (v.user_id is null or v.user_id = $7 or $8)
         order by v.sequence limit $4) e)
     select (select id from stream) as "streamId",
       coalesce((select last_sequence from stream), 0) as last, coalesce((select swept_sequence from stream), 0) as swept,
       coalesce(case when (select count(*) from page) = $4 then (select max(sequence) from page) end,
         (select greatest($3::bigint, upto) from stream), $3) as next,
       array(select body from page order by sequence) as bodies`,
    [
      partnerId ?? null,
      integrationId ?? null,
      after,
      limit,
      scanned,
      types ?? null,
      userId ?? null,
      seesAll ?? false,
    ],
  );
  return row!;
}

export const newsMax = 1_000;

/** What happened in streams after these numbers, for readers that wait. */
export async function selectNews(
  db: Db,
  streams: readonly { id: bigint; after: bigint }[],
): Promise<{ streamId: bigint; sequence: bigint; type: string; userId: string | null }[]> {
  return db.query<{ streamId: bigint; sequence: bigint; type: string; userId: string | null } & Row>(
    `select s.id as "streamId", e.sequence, e.type, e.user_id as "userId"
     from unnest($1::bigint[], $2::bigint[]) as s (id, after) cross join lateral (
       select v.sequence, v.type, v.user_id from events v where v.stream_id = s.id and v.sequence > s.after
       order by v.sequence limit $3) e
     order by s.id, e.sequence`,
    [streams.map(({ id }) => id), streams.map(({ after }) => after), newsMax],
  );
}

/**
 * Continues every stream after a number that none has had: the milliseconds since 1970, or so many more than
 * the highest if the clock is behind that. Streams that are created later begin there as well: the database
 * may have lost one whose numbers were read.
 */
export async function skipSequences(
  db: Db,
  elseSkipped: number,
): Promise<{ streams: number; continuesAfter: number }> {
  const [row] = await db.query<{ beginsAfter: bigint }>(
    `update event_numbering n set begins_after = case when now.ms > highest.number then now.ms else highest.number + $1 end
     from (select (extract(epoch from clock_timestamp()) * 1000)::bigint as ms) now,
       (select greatest((select begins_after from event_numbering), (select max(last_sequence) from event_streams)) as number) highest
     returning n.begins_after as "beginsAfter"`,
    [elseSkipped],
  );
  const { beginsAfter } = row!;
  const streams = await db.query(
    'update event_streams set last_sequence = greatest(last_sequence, $1) returning 1',
    [beginsAfter],
  );
  return { streams: streams.length, continuesAfter: Number(beginsAfter) };
}

// ## Sweeping

/** Deletes the oldest events of a stream; returns how many. Readers learn how far by `swept_sequence`. */
export async function sweepEvents(db: Db, before: Date, limit: number): Promise<number> {
  const rows = await db.query<{ swept: bigint }>(
    `with old as (
       select s.id, (select max(sequence) from (
           select e.sequence, e.numbered_at from events e where e.stream_id = s.id and e.sequence > s.swept_sequence
           order by e.sequence limit $2) oldest
         where numbered_at < $1) as newest
       from event_streams s
       where s.last_sequence > s.swept_sequence
         and (select e.numbered_at from events e where e.stream_id = s.id and e.sequence > s.swept_sequence
           order by e.sequence limit 1) < $1
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
    `select count(*) as waiting, (select count(*) from event_parked) as parked,
       coalesce(extract(epoch from clock_timestamp() - min(recorded_at)), 0)::float8 as "ageSeconds"
     from (select recorded_at from event_records limit 10000) r`,
  );
  return row!;
}
