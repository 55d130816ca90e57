-- Hashes a row's content after the last hash; the first row of a chain follows `head`.
-- Called by: aggregate `hash_chain`, as its state function.
-- Locks: nothing.
-- Costs: one SHA-256.
create or replace function next_hash(last bytea, head bytea, content text) returns bytea
language plpgsql immutable as $$
begin
  return sha256(coalesce(last, head) || convert_to(content, 'UTF8'));
end $$;
