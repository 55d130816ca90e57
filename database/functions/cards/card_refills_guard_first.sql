-- Refuses a new refill that is not queued, or that has retries or a payment.
-- Called by: trigger `card_refills_guard_first` on `card_refills`, before each insert.
-- Locks: nothing.
-- Costs: no table is read.
create or replace function card_refills_guard_first() returns trigger language plpgsql as $$
begin
  if new.status <> 'queued' or new.retries <> 0 or new.withdrawal_id is not null then
    raise exception 'a refill begins as queued' using errcode = 'restrict_violation';
  end if;
  return new;
end $$;
