create or replace function ledger_note_credit() returns trigger language plpgsql as $$
begin
  insert into ledger_credits (network, key)
    select network, new.unique_hash_id from ledger_accounts where id = new.received_account_id;
  return null;
end $$;
