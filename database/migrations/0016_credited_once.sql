-- Why: a line's place on chain was unique in one ledger only, so one transfer could be credited to two users: by an operator and as a
-- deposit, or by two batches. Now the database has each credited transfer once. A line that sends may have the same place.

create table ledger_credits (
  network text not null,
  -- `{transactionHash}:{logIndex}`, as in `ledger_lines.unique_hash_id`.
  key text not null,
  constraint ledger_credits_pkey primary key (network, key)
);
create trigger ledger_credits_append_only before update or delete on ledger_credits
  for each row execute function refuse_change();
create trigger ledger_credits_no_truncate before truncate on ledger_credits
  for each statement execute function refuse_change();

create function ledger_note_credit() returns trigger language plpgsql as $$
begin
  insert into ledger_credits (network, key)
    select network, new.unique_hash_id from ledger_accounts where id = new.received_account_id;
  return null;
end $$;
-- For each row: most postings have no place on chain, and the condition is judged without a call.
create trigger ledger_note_credit after insert on ledger_lines for each row
  when (new.received_account_id is not null and new.unique_hash_id like '0x%') execute function ledger_note_credit();
