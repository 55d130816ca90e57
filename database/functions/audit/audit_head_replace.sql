create or replace function audit_head_replace() returns trigger language plpgsql as $$
begin
  delete from audit_heads h where h.id = old.id;
  insert into audit_heads values (new.id, new.hash);
  return new;
end $$;
