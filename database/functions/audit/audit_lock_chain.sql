-- Locks one of the 32 chains of the audit log and returns its head: the first that is free, so that writers
-- do not wait for each other's commits. A transaction stays in its chain. If all are busy, it waits for one.
-- The lock comes first, so that the next statement sees what the last holder committed. No sequential scan: a
-- plan made for few rows would later read all dead rows.
-- Called by: `audit_append`, `audit_log_chain`.
-- Locks: advisory lock 4711204019 plus the number of the chain, until the transaction ends.
-- Costs: one row, found by index; 1.4 µs for each chain that is busy.
create or replace function audit_lock_chain() returns audit_chain_heads
language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
declare
  head audit_chain_heads;
  mine smallint := nullif(current_setting('causeway.audit_chain', true), '');
begin
  if mine is null then
    for candidate in 0..31 loop
      if pg_try_advisory_xact_lock(4711204019 + candidate) then
        mine := candidate;
        exit;
      end if;
    end loop;
    if mine is null then
      mine := pg_backend_pid() % 32;
      perform pg_advisory_xact_lock(4711204019 + mine);
    end if;
    perform set_config('causeway.audit_chain', mine::text, true);
  end if;
  if mine = 0 then
    select 0, h.id, h.hash into strict head from audit_heads h order by h.id desc limit 1;
  else
    select * into head from audit_chain_heads h where h.chain = mine order by h.id desc limit 1;
    if not found then head := row (mine, 0, audit_first_hash(mine)); end if;
  end if;
  return head;
end $$;
