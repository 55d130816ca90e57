import type { Db, Row } from './db.ts';

/** How far the log of a database is, on one of its servers. */
export interface Place {
  /** Of the server that accepts writes; undefined on a server that follows none. */
  mark: string | undefined;
  /** The bytes of log before it. */
  position: bigint;
}

const start = `'0/0'::pg_lsn`;

/**
 * Everything that was committed and acknowledged is before it. If commits do not wait for the disk, the end
 * of the log counts and not what is on disk.
 */
const onDisk = `case current_setting('synchronous_commit') when 'off' then pg_current_wal_insert_lsn()
  else pg_current_wal_flush_lsn() end`;

/**
 * After commits that do not wait, PostgreSQL writes whole pages, and the last record may be cut. A replica
 * replays it when the rest comes, up to 200 ms later. A message that is written at once ends the record.
 */
const logEnd = `case when (lsn - ${start}) % current_setting('wal_block_size')::integer > 0 then lsn
  else pg_logical_emit_message(false, 'causeway', '', true) end`;

/** The first eight digits of a segment's name are the timeline. */
interface LogEnd {
  position: bigint;
  segment: string;
}

/** Of the server that accepts writes, without its mark: it reads no table, and takes half the CPU. */
export async function selectLogEnd(db: Db): Promise<{ position: bigint; timeline: number }> {
  const [row] = await db.query<LogEnd & Row>(
    `select ${logEnd} - ${start} as position, pg_walfile_name(lsn) as segment from (select ${onDisk} as lsn where $1) p`,
    [true],
  );
  return { position: row!.position, timeline: timelineOf(row!.segment) };
}

export interface PrimaryPlace extends Place {
  timeline: number;
  /** The timeline on which the mark was made. */
  noted: number;
}

/** Of the server that accepts writes. */
export async function selectPlace(db: Db): Promise<PrimaryPlace> {
  const [row] = await db.query<{ mark: string; noted: number } & LogEnd & Row>(
    `select m.mark::text, m.timeline as noted, ${logEnd} - ${start} as position, pg_walfile_name(lsn) as segment
     from (select ${onDisk} as lsn) p, primary_mark m where $1`,
    [true],
  );
  const { segment, ...place } = row!;
  return { ...place, timeline: timelineOf(segment) };
}

const timelineOf = (segment: string) => Number.parseInt(segment.slice(0, 8), 16);

/** Another copy of the database, or a replica of a server that was replaced, never gets this mark. */
export async function replaceMark(db: Db, timeline: number): Promise<void> {
  await db.query('update primary_mark set mark = gen_random_uuid(), timeline = $1', [timeline]);
}

/** Of a replica: a later statement on the same connection sees at least this. */
export async function selectReplayed(db: Db): Promise<Place> {
  const [row] = await db.query<{ mark: string | null; position: bigint }>(
    `select case when pg_is_in_recovery() then mark::text end as mark,
       coalesce(pg_last_wal_replay_lsn() - ${start}, 0) as position
     from primary_mark where $1`,
    [true],
  );
  return { mark: row!.mark ?? undefined, position: row!.position };
}
