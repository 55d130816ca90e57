-- The hashes of rows that follow each other: of the first of them, after the hash that the chain had.
create or replace function next_hash(last bytea, head bytea, content text) returns bytea
language plpgsql immutable as $$
begin
  return sha256(coalesce(last, head) || convert_to(content, 'UTF8'));
end $$;
