-- Locks chain 0 of the audit log and returns its head. The lock comes first, so that the next statement
-- sees what the last holder committed. No sequential scan: a plan made for one row would later read all dead
-- rows.
-- Called by: view `audit_head`.
-- Locks: advisory lock 4711204019, until the transaction ends.
-- Costs: one row, found by index.
create or replace function audit_lock_head() returns audit_heads
language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
declare
  head audit_heads;
begin
  perform pg_advisory_xact_lock(4711204019);
  select * into strict head from audit_heads order by id desc limit 1;
  return head;
end $$;
