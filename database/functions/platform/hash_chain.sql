-- Chains the hashes of rows in their order, starting from `head`. Over a window, it gives each row its hash.
-- Called by: `audit_append`.
-- Locks: nothing.
-- Costs: one SHA-256 for each row.
create or replace aggregate hash_chain(head bytea, content text) (sfunc = next_hash, stype = bytea);
