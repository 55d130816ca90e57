-- Refuses an API key for the house: nobody acts as the house with a key.
-- Called by: trigger `api_keys_refuse_house` on `api_keys`, before each insert or update of `partner_id`.
-- Locks: nothing.
-- Costs: for each row, one partner by index.
create or replace function api_keys_refuse_house() returns trigger language plpgsql as $$
begin
  if exists (select from partners p where p.id = new.partner_id and p.is_house) then
    raise exception 'the house partner cannot have API keys' using errcode = 'restrict_violation';
  end if;
  return new;
end $$;
