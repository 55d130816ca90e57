import type { Db } from '#platform/db/db';

// Everything here works without privileges beyond those of the role that owns the database. Where PostgreSQL
// hides what belongs to other roles, the columns are null.

export async function selectServer(db: Db) {
  const [row] = await db.query<{ version: string; major: number; isStandby: boolean }>(
    `select current_setting('server_version') as version, current_setting('server_version_num')::integer / 10000 as major,
       pg_is_in_recovery() as "isStandby"`,
  );
  return row!;
}

/** Which database of which cluster this is; a physical replica has the same ones. */
export async function selectDatabase(db: Db) {
  const [row] = await db.query<{ cluster: string; database: string }>(
    `select (select system_identifier::text from pg_control_system()) as cluster, oid::text as database
     from pg_database where datname = current_database()`,
  );
  return row!;
}

/** What decides how far a standby is, and whether it cancels reads. */
export async function selectReplay(db: Db) {
  const [row] = await db.query<{ isPaused: boolean; delayMs: number; hasFeedback: boolean }>(
    `select pg_is_wal_replay_paused() as "isPaused",
       (extract(epoch from current_setting('recovery_min_apply_delay')::interval) * 1000)::float8 as "delayMs",
       current_setting('hot_standby_feedback')::boolean as "hasFeedback"`,
  );
  return row!;
}

/** Settings by name, as this session has them. Those that only superusers may see are absent. */
export async function selectSettings(db: Db): Promise<ReadonlyMap<string, string>> {
  const rows = await db.query<{ name: string; setting: string }>(
    `select name, setting from pg_settings where setting is not null`,
  );
  return new Map(rows.map(({ name, setting }) => [name, setting]));
}

export async function selectExtensions(db: Db) {
  return db.query<{ name: string; installed: string | null; available: string }>(
    `select name, installed_version as installed, default_version as available from pg_available_extensions
     where name in ('btree_gin', 'pg_trgm') order by name`,
  );
}

/** Indexes of our tables; an invalid one is what a build that failed has left. */
export async function selectIndexes(db: Db) {
  return db.query<{ name: string; definition: string; isValid: boolean }>(
    `select i.relname as name, pg_get_indexdef(i.oid) as definition, x.indisvalid and x.indisready as "isValid"
     from pg_index x join pg_class i on i.oid = x.indexrelid
     where i.relnamespace = 'public'::regnamespace order by i.relname`,
  );
}

export async function selectConnections(db: Db) {
  const [row] = await db.query<{ used: number; ofRole: number; roleMax: number; databaseMax: number }>(
    `select (select count(*)::integer from pg_stat_activity where backend_type = 'client backend') as used,
       (select count(*)::integer from pg_stat_activity
         where usename = current_user and backend_type = 'client backend') as "ofRole",
       (select rolconnlimit from pg_roles where rolname = current_user) as "roleMax",
       (select datconnlimit from pg_database where datname = current_database()) as "databaseMax"`,
  );
  return row!;
}

export async function selectText(db: Db) {
  const [row] = await db.query<{
    encoding: string;
    collation: string;
    version: string | null;
    actual: string | null;
  }>(
    `select pg_encoding_to_char(encoding) as encoding, coalesce(datlocale, datcollate) as collation,
       datcollversion as version, pg_database_collation_actual_version(oid) as actual
     from pg_database where datname = current_database()`,
  );
  return row!;
}

export async function selectStandbys(db: Db) {
  return db.query<{
    name: string;
    state: string | null;
    syncState: string | null;
    lagSeconds: number | null;
  }>(
    `select coalesce(nullif(application_name, ''), client_addr::text, 'unnamed') as name, state,
       sync_state as "syncState", extract(epoch from replay_lag)::float8 as "lagSeconds"
     from pg_stat_replication order by 1`,
  );
}

export async function selectSlots(db: Db) {
  return db.query<{
    name: string;
    isActive: boolean;
    walStatus: string | null;
    heldBytes: number;
    held: string;
  }>(
    `select slot_name as name, active as "isActive", wal_status as "walStatus", bytes::float8 as "heldBytes",
       pg_size_pretty(bytes) as held
     from pg_replication_slots, lateral (select coalesce(pg_wal_lsn_diff(
       case when pg_is_in_recovery() then pg_last_wal_replay_lsn() else pg_current_wal_lsn() end, restart_lsn), 0) as bytes) w
     order by bytes desc`,
  );
}

export async function selectArchiver(db: Db) {
  const [row] = await db.query<{
    archived: number;
    failed: number;
    isFailing: boolean;
    waitingSeconds: number | null;
  }>(
    `select archived_count::integer as archived, failed_count::integer as failed,
       coalesce(last_failed_time > coalesce(last_archived_time, '-infinity'), false) as "isFailing",
       extract(epoch from now() - last_archived_time)::float8 as "waitingSeconds"
     from pg_stat_archiver`,
  );
  return row!;
}

/** In milliseconds since 1970. */
export async function selectClock(db: Db): Promise<number> {
  const [row] = await db.query<{ ms: number }>(
    `select extract(epoch from clock_timestamp())::float8 * 1000 as ms`,
  );
  return row!.ms;
}

/** How this session is connected; the address is null for a Unix socket. */
export async function selectTransport(db: Db) {
  const [row] = await db.query<{ address: string | null; isTls: boolean; version: string | null }>(
    `select host(inet_server_addr()) as address, coalesce(ssl, false) as "isTls", version
     from pg_stat_ssl where pid = pg_backend_pid()`,
  );
  return row!;
}

export async function selectSizes(db: Db) {
  const [row] = await db.query<{ total: string; tables: string[] }>(
    `select pg_size_pretty(pg_database_size(current_database())) as total, array(
       select format('%s %s', relname, pg_size_pretty(bytes))
       from (select relname, pg_total_relation_size(relid) as bytes from pg_stat_user_tables) t
       order by bytes desc limit 5) as tables`,
  );
  return row!;
}

/** Tables with many dead rows: more than a fifth of the living ones, and more than 50,000. */
export async function selectBloated(db: Db) {
  return db.query<{ name: string; dead: number; live: number; vacuumedSeconds: number | null }>(
    `select relname as name, n_dead_tup::float8 as dead, n_live_tup::float8 as live,
       extract(epoch from now() - greatest(last_vacuum, last_autovacuum))::float8 as "vacuumedSeconds"
     from pg_stat_user_tables where n_dead_tup > 50000 and n_dead_tup > n_live_tup / 5 order by n_dead_tup desc`,
  );
}

/** How many transactions ago the oldest row was written that is not frozen yet. */
export async function selectTransactionAge(db: Db) {
  const [row] = await db.query<{ transactions: number; multixacts: number }>(
    `select age(datfrozenxid)::float8 as transactions, mxid_age(datminmxid)::float8 as multixacts
     from pg_database where datname = current_database()`,
  );
  return row!;
}

/** Sessions that have been in a transaction for over ten minutes, and transactions that were prepared. */
export async function selectOldTransactions(db: Db) {
  return db.query<{ name: string; seconds: number }>(
    `select format('pid %s (%s)', pid, coalesce(nullif(application_name, ''), usename)) as name,
       extract(epoch from now() - xact_start)::float8 as seconds
     from pg_stat_activity
     where datname = current_database() and xact_start < now() - interval '10 minutes'
       and backend_type = 'client backend'
     union all
     select format('prepared transaction %s', gid), extract(epoch from now() - prepared)::float8
     from pg_prepared_xacts where database = current_database()
     order by seconds desc`,
  );
}
