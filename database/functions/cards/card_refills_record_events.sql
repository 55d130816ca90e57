-- Records events of refills that ended and whose users have a partner's key.
-- Called by: trigger `card_refills_record_events` on `card_refills`, after each update statement.
-- Locks: nothing.
-- Costs: for each refill that ended, a search for a key by index, and one insert.
create or replace function card_refills_record_events() returns trigger language plpgsql as $$
declare
  first_record bigint;
begin
  with put as (
    insert into event_records (type, resource, user_id, previous_status)
    select 'card_refill.' || a.status, 'card_refill:' || a.id, a.user_id, b.status
    from added a join before_rows b on b.id = a.id
    where a.status in ('completed', 'failed') and b.status <> a.status
      and exists (select from api_keys k where k.user_id = a.user_id and k.revoked_at is null)
    order by a.id
    returning id)
  select min(id) into first_record from put;
  perform event_records_wake(first_record);
  return null;
end $$;
create or replace trigger card_refills_record_events after update on card_refills
  referencing old table as before_rows new table as added
    for each statement execute function card_refills_record_events();
