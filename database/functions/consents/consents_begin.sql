create or replace function consents_begin() returns trigger language plpgsql as $$
begin
  if new.status <> 'awaiting' or new.user_id is not null then
    raise exception 'a consent begins as a request that nobody has opened' using errcode = 'restrict_violation';
  end if;
  return new;
end $$;
