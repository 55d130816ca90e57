-- Locks the chain until the transaction ends and returns its head. The lock comes first: the next statement must see what its last
-- holder has committed. The number is the lock's name. A sequential scan, which suits the one row that there is when a connection makes
-- its plan, would walk over the dead ones later.
create or replace function audit_lock_head() returns audit_heads
language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
declare
  head audit_heads;
begin
  perform pg_advisory_xact_lock(4711204019);
  select * into strict head from audit_heads order by id desc limit 1;
  return head;
end $$;
