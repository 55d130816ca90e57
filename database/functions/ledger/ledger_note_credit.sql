-- Notes the on-chain transfer that a line credits; the primary key refuses to credit a transfer twice.
-- Called by: trigger `ledger_note_credit` on `ledger_lines`, after each insert that receives and has a key
-- from the chain.
-- Locks: nothing. Waits if another transaction notes the same transfer.
-- Costs: for each row, one account and one insert.
create or replace function ledger_note_credit() returns trigger language plpgsql as $$
begin
  insert into ledger_credits (network, key, list_id, line_number)
    select network, new.unique_hash_id, new.list_id, new.number from ledger_accounts
    where id = new.received_account_id;
  return null;
end $$;
