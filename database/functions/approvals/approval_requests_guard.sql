-- Lets a request for approval change once, from pending to its end, and nothing of what was asked for.
-- Called by: trigger `approval_requests_guard` on `approval_requests`, before each update.
-- Locks: nothing.
-- Costs: compares the old and the new row; no table is read.
create or replace function approval_requests_guard() returns trigger
language plpgsql as $$
begin
  if old.status <> 'pending' then
    raise exception 'approval request % is %', old.id, old.status using errcode = 'restrict_violation';
  end if;
  if (new.id, new.command, new.input_sha256, new.requested_by, new.requested_at, new.expires_at)
      is distinct from
     (old.id, old.command, old.input_sha256, old.requested_by, old.requested_at, old.expires_at) then
    raise exception 'approval request % cannot change', old.id using errcode = 'restrict_violation';
  end if;
  return new;
end $$;

create or replace trigger approval_requests_guard before update on approval_requests
  for each row execute function approval_requests_guard();
