import type { Db } from './db.ts';

/** How far a server's log is. */
export interface Place {
  /** Of the primary server that wrote it. */
  timeline: number;
  /** The bytes of log before it. */
  position: bigint;
}

const start = `'0/0'::pg_lsn`;

/** Of the primary server: everything that was committed and acknowledged is before it. */
export async function selectPlace(db: Db): Promise<Place> {
  const place = await readPlace(db);
  if (place.noted === place.timeline) return place;
  // The first to come after a promotion. A replica that never gets this row has followed another server.
  await db.query('update primary_timeline set timeline = $1 where timeline < $1', [place.timeline]);
  return readPlace(db);
}

async function readPlace(db: Db): Promise<Place & { noted: number }> {
  const [row] = await db.query<{ timeline: number; position: bigint; noted: number }>(
    `select ('x' || substr(pg_walfile_name(p.lsn), 1, 8))::bit(32)::integer as timeline, p.lsn - ${start} as position,
       t.timeline as noted
     from (select pg_current_wal_flush_lsn() as lsn) p, primary_timeline t where $1`,
    [true],
  );
  return row!;
}

/** Of a replica: a later statement on the same connection sees at least this. */
export async function selectReplayed(db: Db): Promise<Place> {
  const [row] = await db.query<{ timeline: number; position: bigint }>(
    `select case when pg_is_in_recovery() then timeline else -1 end as timeline,
       coalesce(pg_last_wal_replay_lsn() - ${start}, 0) as position
     from primary_timeline where $1`,
    [true],
  );
  return row!;
}
