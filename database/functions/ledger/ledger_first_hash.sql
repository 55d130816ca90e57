create or replace function ledger_first_hash(user_id uuid) returns bytea
language sql immutable as $$
  select sha256(convert_to('causeway ledger ' || user_id, 'UTF8'))
$$;
