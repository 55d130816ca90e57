create or replace function ledger_accounts_check_new() returns trigger language plpgsql as $$
begin
  raise exception 'an account is a user''s or the house''s' using errcode = 'check_violation';
end $$;
