-- Records an event for each new withdrawal of a partner. Those by a user's rule belong to the house.
-- Called by: trigger `withdrawals_record_new` on `withdrawals`, after each insert statement.
-- Locks: nothing.
-- Costs: for each withdrawal, its partner by primary key, and one insert.
create or replace function withdrawals_record_new() returns trigger language plpgsql as $$
declare
  first_record bigint;
begin
  with put as (
    insert into event_records (type, resource, partner_id, recorded_at)
    select 'withdrawal.queued', 'withdrawal:' || a.id, a.partner_id, a.created_at from added a
    where not exists (select from partners p where p.id = a.partner_id and p.is_house) order by a.id
    returning id)
  select min(id) into first_record from put;
  perform event_records_wake(first_record);
  return null;
end $$;
create or replace trigger withdrawals_record_new after insert on withdrawals referencing new table as added
  for each statement execute function withdrawals_record_new();
