-- Refuses a new consent that is not a request which no user has opened yet.
-- Called by: trigger `consents_begin` on `consents`, before each insert.
-- Locks: nothing.
-- Costs: no table is read.
create or replace function consents_begin() returns trigger language plpgsql as $$
begin
  if new.status <> 'awaiting' or new.user_id is not null then
    raise exception 'a consent begins as a request that nobody has opened'
      using errcode = 'restrict_violation';
  end if;
  return new;
end $$;
