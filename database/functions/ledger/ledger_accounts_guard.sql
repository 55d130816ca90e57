create or replace function ledger_accounts_guard() returns trigger language plpgsql as $$
begin
  raise exception 'an account keeps its owner and its asset' using errcode = 'restrict_violation';
end $$;
