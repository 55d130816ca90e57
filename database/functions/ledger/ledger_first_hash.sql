-- Returns the hash that the chain of a user's ledger starts from.
-- Called by: `ledger_find_lists`, `ledger_lock_lists`, `src/features/ledger/verify/queries/lists.ts`.
-- Locks: nothing.
-- Costs: one SHA-256.
create or replace function ledger_first_hash(user_id uuid) returns bytea
language sql immutable as $$
  select sha256(convert_to('causeway ledger ' || user_id, 'UTF8'))
$$;
