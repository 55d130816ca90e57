-- Refuses to change the id, the owner or the asset of an account.
-- Called by: trigger `ledger_accounts_guard` on `ledger_accounts`, before each update of these columns.
-- Locks: nothing.
-- Costs: nothing is read; it always raises an error.
create or replace function ledger_accounts_guard() returns trigger language plpgsql as $$
begin
  raise exception 'an account keeps its owner and its asset' using errcode = 'restrict_violation';
end $$;
