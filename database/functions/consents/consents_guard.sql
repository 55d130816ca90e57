-- Refuses changes that a consent does not allow: a request stays as it was made, scopes are only reduced, a
-- decision, an end and the user who opened it stay, and reads are only counted up.
-- Called by: trigger `consents_guard` on `consents`, before each update.
-- Locks: nothing.
-- Costs: compares the old and the new row; no table is read.
create or replace function consents_guard() returns trigger language plpgsql as $$
begin
  if (new.id, new.integration_id, new.purpose, new.purpose_pt, new.requested_scopes, new.optional_scopes,
      new.duration, new.duration_days, new.redirect_uri, new.state, new.link_sha256, new.link_expires_at,
      new.requested_at)
    is distinct from
     (old.id, old.integration_id, old.purpose, old.purpose_pt, old.requested_scopes, old.optional_scopes,
      old.duration, old.duration_days, old.redirect_uri, old.state, old.link_sha256, old.link_expires_at,
      old.requested_at) then
    raise exception 'a consent request cannot change' using errcode = 'restrict_violation';
  end if;
  if old.user_id is not null and new.user_id is distinct from old.user_id then
    raise exception 'a consent stays with the user who opened it' using errcode = 'restrict_violation';
  end if;
  if new.status <> old.status
      and (old.status, new.status) not in (('awaiting', 'active'), ('awaiting', 'rejected'),
      ('active', 'revoked'), ('active', 'expired')) then
    raise exception 'a consent does not move from % to %', old.status, new.status
      using errcode = 'restrict_violation';
  end if;
  if old.status in ('rejected', 'revoked', 'expired') and new is distinct from old then
    raise exception 'a % consent is final', old.status using errcode = 'restrict_violation';
  end if;
  if old.scopes is not null and not (new.scopes <@ old.scopes) then
    raise exception 'scopes are reduced, never widened' using errcode = 'restrict_violation';
  end if;
  if old.decided_at is not null and new.decided_at is distinct from old.decided_at then
    raise exception 'a consent is decided once' using errcode = 'restrict_violation';
  end if;
  -- Only a consent for one time gets its end later: when it was read.
  if old.status = 'active' and new.expires_at is distinct from old.expires_at
    and (new.status <> 'expired' or old.duration <> 'one-time') then
    raise exception 'a consent ends when it was granted to end' using errcode = 'restrict_violation';
  end if;
  if (new.read_count, new.last_read_at) is distinct from (old.read_count, old.last_read_at)
    and (old.status <> 'active' or new.read_count <= old.read_count or new.last_read_at is null
    or new.last_read_at < old.last_read_at) then
    raise exception 'reads of an active consent are counted, one after another'
      using errcode = 'restrict_violation';
  end if;
  if new.status = 'active' and old.status = 'awaiting' and old.user_id is null then
    raise exception 'a consent must be opened before it is granted' using errcode = 'restrict_violation';
  end if;
  -- In hours: a day of a time zone can have 23 of them.
  if new.status = 'active' and old.status = 'awaiting' and new.expires_at is distinct from
    (case when new.duration = 'days' then new.decided_at + make_interval(hours => 24 * new.duration_days) end)
  then
    raise exception 'a consent lasts as long as was asked for' using errcode = 'restrict_violation';
  end if;
  if new.status = 'active' and old.status = 'awaiting'
    and not ((select array_agg(s) from unnest(new.requested_scopes) s where s <> all (new.optional_scopes))
      <@ new.scopes) then
    raise exception 'every scope that is not optional must be granted' using errcode = 'restrict_violation';
  end if;
  return new;
end $$;
