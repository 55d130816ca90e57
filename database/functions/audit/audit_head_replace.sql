-- Replaces the head of chain 0 of the audit log when view `audit_head` is updated.
-- Called by: trigger `audit_head_replace` on view `audit_head`, instead of an update.
-- Locks: the head's row. The view has already locked the chain.
-- Costs: one delete and one insert.
create or replace function audit_head_replace() returns trigger language plpgsql as $$
begin
  delete from audit_heads h where h.id = old.id;
  insert into audit_heads values (new.id, new.hash);
  return new;
end $$;
