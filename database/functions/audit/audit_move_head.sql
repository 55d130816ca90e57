-- Replaces the head of a chain of the audit log.
-- Called by: `audit_append`, `audit_log_chain`.
-- Locks: the head's row. The caller has locked the chain.
-- Costs: one delete and one insert.
create or replace function audit_move_head(head audit_chain_heads, new_id bigint, new_hash bytea) returns void
language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
begin
  if head.chain = 0 then
    delete from audit_heads h where h.id = head.id;
    insert into audit_heads values (new_id, new_hash);
  else
    delete from audit_chain_heads h where h.chain = head.chain and h.id = head.id;
    insert into audit_chain_heads values (head.chain, new_id, new_hash);
  end if;
end $$;
