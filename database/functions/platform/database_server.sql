-- The cluster and its timeline, which a promotion and a restore to a point in time increase. From the name of the current WAL
-- file: the control file still has the old timeline for a moment after a promotion. Fails on a standby.
create or replace function database_server() returns text language sql volatile as $$
  select (select system_identifier from pg_control_system())::text || '/' ||
    left(pg_walfile_name(pg_current_wal_insert_lsn()), 8)
$$;
