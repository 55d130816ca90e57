create or replace aggregate hash_chain(head bytea, content text) (sfunc = next_hash, stype = bytea);
