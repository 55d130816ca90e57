-- Records events of card transactions whose users have a partner's key: one for each status that is entered.
-- Called by: triggers `card_transactions_record_new` and `card_transactions_record_changes` on
-- `card_transactions`, after each statement.
-- Locks: nothing.
-- Costs: for each transaction, a search for a key by index, and one insert.
create or replace function card_transactions_record_events() returns trigger language plpgsql as $$
declare
  first_record bigint;
begin
  if tg_op = 'INSERT' then
    with put as (
      insert into event_records (type, resource, user_id, facts)
      select card_transaction_event(a), 'card_transaction:' || a.id, a.user_id, to_jsonb(a) - 'folded'
      from added a where card_transaction_event(a) is not null
        and exists (select from api_keys k where k.user_id = a.user_id and k.revoked_at is null)
      order by a.id
      returning id)
    select min(id) into first_record from put;
  else
    with put as (
      insert into event_records (type, resource, user_id, previous_status, facts)
      select card_transaction_event(a), 'card_transaction:' || a.id, a.user_id, b.status,
        to_jsonb(a) - 'folded'
      from added a join before_rows b on b.id = a.id
      where b.status <> a.status and card_transaction_event(a) is not null
        and exists (select from api_keys k where k.user_id = a.user_id and k.revoked_at is null)
      order by a.id
      returning id)
    select min(id) into first_record from put;
  end if;
  perform event_records_wake(first_record);
  return null;
end $$;
create or replace trigger card_transactions_record_new after insert on card_transactions
  referencing new table as added
  for each statement execute function card_transactions_record_events();
create or replace trigger card_transactions_record_changes after update on card_transactions
  referencing old table as before_rows new table as added
    for each statement execute function card_transactions_record_events();
