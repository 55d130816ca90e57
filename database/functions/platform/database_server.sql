-- Identifies the server: the cluster and its timeline, which a promotion or a point-in-time restore
-- increases. The timeline comes from the name of the current WAL file: after a promotion, the control file
-- keeps the old one for a moment. Fails on a standby.
-- Called by: `src/features/events/queries.ts`, `src/features/payouts/fill/queries.ts`,
-- `src/features/payouts/queries/attempts.ts`, `src/features/payouts/queries/signers.ts`.
-- Locks: nothing.
-- Costs: one read of the control file; no table is read.
create or replace function database_server() returns text language sql volatile as $$
  select (select system_identifier from pg_control_system())::text || '/' ||
    left(pg_walfile_name(pg_current_wal_insert_lsn()), 8)
$$;
