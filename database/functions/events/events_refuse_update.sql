-- Refuses changes of events: what a subscriber has read stays as it was read.
-- Called by: triggers `events_refuse_update` and `events_refuse_truncate` on `events`.
-- Locks: nothing.
-- Costs: nothing is read; it always raises an error.
create or replace function events_refuse_update() returns trigger language plpgsql as $$
begin
  raise exception 'events do not change' using errcode = 'restrict_violation';
end $$;
create or replace trigger events_refuse_update before update on events
  for each row execute function events_refuse_update();
create or replace trigger events_refuse_truncate before truncate on events
  for each statement execute function events_refuse_update();
