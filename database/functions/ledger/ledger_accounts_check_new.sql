-- Refuses an account that is not either a user's or the house's.
-- Called by: trigger `ledger_accounts_check_new` on `ledger_accounts`, before each insert that its condition
-- finds wrong.
-- Locks: nothing.
-- Costs: nothing is read; it always raises an error.
create or replace function ledger_accounts_check_new() returns trigger language plpgsql as $$
begin
  raise exception 'an account is a user''s or the house''s' using errcode = 'check_violation';
end $$;
