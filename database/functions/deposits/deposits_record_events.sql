-- Records an event for each deposit of a user who has a partner's key.
-- Called by: trigger `deposits_record_events` on `deposits`, after each insert statement.
-- Locks: nothing.
-- Costs: for each deposit, a search for a key by index, and one insert.
create or replace function deposits_record_events() returns trigger language plpgsql as $$
declare
  first_record bigint;
begin
  with put as (
    insert into event_records (type, resource, user_id, facts)
    select 'deposit.posted', 'deposit:' || a.network || ':' || a.transaction_hash || ':' || a.log_index,
      a.user_id, jsonb_build_object('unique_hash_id', a.transaction_hash || ':' || a.log_index)
    from added a where exists (select from api_keys k where k.user_id = a.user_id and k.revoked_at is null)
    order by a.block_number, a.transaction_hash, a.log_index
    returning id)
  select min(id) into first_record from put;
  perform event_records_wake(first_record);
  return null;
end $$;
create or replace trigger deposits_record_events after insert on deposits referencing new table as added
  for each statement execute function deposits_record_events();
