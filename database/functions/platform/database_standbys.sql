-- The standbys that commits wait for, as the server has them; empty if they wait for none.
-- Called by: `src/features/payouts/queries/deployment.ts`, `src/features/payouts/queries/signers.ts`,
-- `src/platform/db/confirm.ts`.
-- Locks: nothing.
-- Costs: no table is read.
create or replace function database_standbys() returns text language sql stable as $$
  select current_setting('synchronous_standby_names')
$$;
