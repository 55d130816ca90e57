-- Of a transaction on chain. Without a regular expression, which takes longer than the rest of a line's checks.
create or replace function ledger_is_hash(text) returns boolean
language sql immutable as $$
  select length($1) = 66 and starts_with($1, '0x') and translate(substr($1, 3), '0123456789abcdef', '') = ''
$$;
