-- Refuses a read unless the consent is active and the key belongs to its integration.
-- Called by: trigger `consent_reads_guard` on `consent_reads`, before each insert.
-- Locks: nothing.
-- Costs: for each row, one consent and one key by index.
create or replace function consent_reads_guard() returns trigger language plpgsql as $$
begin
  if not exists (select from consents c join integration_keys k on k.integration_id = c.integration_id
      where c.id = new.consent_id and c.status = 'active' and k.id = new.key_id) then
    raise exception 'only an active consent is read, by a key of its integration'
      using errcode = 'restrict_violation';
  end if;
  return new;
end $$;
