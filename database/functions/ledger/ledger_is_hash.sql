-- Returns whether a text is the hash of a transaction on chain. A regular expression takes 2.1 times as
-- long (`npm run bench -- shortcuts statements`).
-- Called by: `ledger_may_post`, `ledger_post_lines`, `ledger_read_postings`.
-- Locks: nothing.
-- Costs: no table is read.
create or replace function ledger_is_hash(text) returns boolean
language sql immutable as $$
  select length($1) = 66 and starts_with($1, '0x') and translate(substr($1, 3), '0123456789abcdef', '') = ''
$$;
