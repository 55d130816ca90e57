-- Gives an audit row that is inserted without a hash its id and its hash, and replaces the head.
-- Called by: trigger `audit_log_chain` on `audit_log`, before each insert without a hash.
-- Locks: the chain (`audit_lock_head`), until the transaction ends.
-- Costs: for each row, one delete and one insert of the head.
create or replace function audit_log_chain() returns trigger
language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
declare
  head audit_heads := audit_lock_head();
begin
  new.id := head.id + 1;
  new.hash := audit_row_hash(head.hash, new);
  delete from audit_heads h where h.id = head.id;
  insert into audit_heads values (new.id, new.hash);
  return new;
end $$;
