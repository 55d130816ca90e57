-- Gives an audit row that is inserted without a hash its id, its chain and its hash, and replaces the head.
-- Called by: trigger `audit_log_chain` on `audit_log`, before each insert without a hash.
-- Locks: one chain (`audit_lock_chain`), until the transaction ends.
-- Costs: for each row, one delete and one insert of the head.
create or replace function audit_log_chain() returns trigger
language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
declare
  head audit_chain_heads := audit_lock_chain();
begin
  new.id := nextval('audit_log_number');
  if new.id <= head.id then perform audit_refuse_number(head, new.id); end if;
  new.chain := head.chain;
  new.hash := audit_row_hash(head.hash, new);
  perform audit_move_head(head, new.id, new.hash);
  return new;
end $$;
