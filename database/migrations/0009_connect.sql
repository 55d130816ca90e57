-- Why: integrations that ask for a user's data, the consents that let them read it, every read of it, and the sessions in which users decide.

create table integrations (
  id uuid primary key default uuidv7(),
  name text not null check (length(name) between 1 and 100),
  -- What stands behind the first letter of its name on our pages.
  logo_color text not null check (logo_color ~ '^#[0-9a-f]{6}$'),
  purposes text[] not null check (cardinality(purposes) between 1 and 20),
  scopes text[] not null check (cardinality(scopes) between 1 and 4 and scopes <@ array['profile', 'email', 'wallet', 'kyc']),
  redirect_uris text[] not null check (cardinality(redirect_uris) between 1 and 20),
  created_at timestamptz not null,
  revoked_at timestamptz
);

-- Of its own kind: what opens the one table never opens the other.
create table integration_keys (
  id text primary key check (id ~ '^[a-z2-7]{16}$'),
  integration_id uuid not null references integrations (id),
  secret_sha256 bytea not null check (length(secret_sha256) = 32),
  created_at timestamptz not null,
  expires_at timestamptz,
  revoked_at timestamptz,
  rotated_from text references integration_keys (id),
  rotated_at timestamptz
);
create index integration_keys_integration on integration_keys (integration_id, id);

create type consent_status as enum ('awaiting', 'active', 'rejected', 'revoked', 'expired');

create table consents (
  id uuid primary key default uuidv7(),
  integration_id uuid not null references integrations (id),
  status consent_status not null default 'awaiting',
  purpose text not null,
  requested_scopes text[] not null check (cardinality(requested_scopes) > 0),
  -- Those of the requested ones that the user may leave out.
  optional_scopes text[] not null check (optional_scopes <@ requested_scopes and cardinality(optional_scopes) < cardinality(requested_scopes)),
  -- What may be read: fewer as time goes by, never more.
  scopes text[] check (scopes <@ requested_scopes and cardinality(scopes) > 0),
  -- `one-time`, `days` or `until-revoked`.
  duration text not null check (duration in ('one-time', 'days', 'until-revoked')),
  duration_days integer check ((duration = 'days') = (duration_days is not null) and duration_days between 1 and 3650),
  redirect_uri text not null,
  state text check (length(state) <= 500),
  -- Only the hash of what the link ends in is kept.
  link_sha256 bytea not null unique check (length(link_sha256) = 32),
  link_expires_at timestamptz not null,
  requested_at timestamptz not null,
  -- Who opened the link first: nobody else can decide. Of an active consent, whose data it is about.
  user_id uuid references users (id),
  decided_at timestamptz,
  expires_at timestamptz,
  revoked_at timestamptz,
  revoked_by text check (revoked_by in ('user', 'integration', 'operator')),
  -- Kept with each read, so that no list and no revocation goes through all of them.
  last_read_at timestamptz,
  read_count bigint not null default 0,
  constraint consents_decided check ((status = 'awaiting') = (decided_at is null)),
  constraint consents_granted check (case when status in ('awaiting', 'rejected')
    then scopes is null and expires_at is null and read_count = 0 else user_id is not null and scopes is not null end),
  constraint consents_revoked check ((status = 'revoked') = (revoked_at is not null) and (revoked_at is null) = (revoked_by is null)),
  constraint consents_read check (read_count >= 0 and (read_count = 0) = (last_read_at is null)),
  constraint consents_revoked_last check (revoked_at >= decided_at and (last_read_at is null or revoked_at >= last_read_at)),
  constraint consents_expired check (status <> 'expired' or expires_at is not null),
  constraint consents_lasting check (duration <> 'days' or status in ('awaiting', 'rejected') or expires_at is not null)
);
create index consents_integration on consents (integration_id, id);
create index consents_user on consents (user_id, id) where user_id is not null;
create index consents_active on consents (integration_id) where status = 'active';
create index consents_ending on consents (expires_at) where status = 'active' and expires_at is not null;

create function consents_begin() returns trigger language plpgsql as $$
begin
  if new.status <> 'awaiting' or new.user_id is not null then
    raise exception 'a consent begins as a request that nobody has opened' using errcode = 'restrict_violation';
  end if;
  return new;
end $$;
create trigger consents_begin before insert on consents for each row execute function consents_begin();

create function consents_guard() returns trigger language plpgsql as $$
begin
  if (new.id, new.integration_id, new.purpose, new.requested_scopes, new.optional_scopes, new.duration, new.duration_days,
      new.redirect_uri, new.state, new.link_sha256, new.link_expires_at, new.requested_at)
    is distinct from
     (old.id, old.integration_id, old.purpose, old.requested_scopes, old.optional_scopes, old.duration, old.duration_days,
      old.redirect_uri, old.state, old.link_sha256, old.link_expires_at, old.requested_at) then
    raise exception 'what was asked for does not change' using errcode = 'restrict_violation';
  end if;
  if old.user_id is not null and new.user_id is distinct from old.user_id then
    raise exception 'a consent stays with whoever opened it' using errcode = 'restrict_violation';
  end if;
  if new.status <> old.status and (old.status, new.status) not in (('awaiting', 'active'), ('awaiting', 'rejected'),
      ('active', 'revoked'), ('active', 'expired')) then
    raise exception 'a consent does not move from % to %', old.status, new.status using errcode = 'restrict_violation';
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
    and (old.status <> 'active' or new.read_count <= old.read_count or new.last_read_at is null or new.last_read_at < old.last_read_at) then
    raise exception 'reads of an active consent are counted, one after another' using errcode = 'restrict_violation';
  end if;
  if new.status = 'active' and old.status = 'awaiting' and old.user_id is null then
    raise exception 'nobody grants what they have not opened' using errcode = 'restrict_violation';
  end if;
  -- In hours: a day of a time zone can have 23 of them.
  if new.status = 'active' and old.status = 'awaiting' and new.expires_at is distinct from
    (case when new.duration = 'days' then new.decided_at + make_interval(hours => 24 * new.duration_days) end) then
    raise exception 'a consent lasts as long as was asked for' using errcode = 'restrict_violation';
  end if;
  if new.status = 'active' and old.status = 'awaiting'
    and not ((select array_agg(s) from unnest(new.requested_scopes) s where s <> all (new.optional_scopes)) <@ new.scopes) then
    raise exception 'what is not optional is granted or nothing is' using errcode = 'restrict_violation';
  end if;
  return new;
end $$;
create trigger consents_guard before update on consents for each row execute function consents_guard();
create trigger consents_no_delete before delete on consents for each row execute function refuse_change();
create trigger consents_no_truncate before truncate on consents for each statement execute function refuse_change();

-- Every read of a user's data: shown to the user, never changed.
create table consent_reads (
  id bigint generated always as identity primary key,
  consent_id uuid not null references consents (id),
  key_id text not null references integration_keys (id),
  read_at timestamptz not null,
  -- Such as `email.address`: which fields were given, never their values.
  fields text[] not null,
  address text not null
);
create index consent_reads_consent on consent_reads (consent_id, id);
create function consent_reads_guard() returns trigger language plpgsql as $$
begin
  if not exists (select from consents c join integration_keys k on k.integration_id = c.integration_id
      where c.id = new.consent_id and c.status = 'active' and k.id = new.key_id) then
    raise exception 'only an active consent is read, by a key of its integration' using errcode = 'restrict_violation';
  end if;
  return new;
end $$;
create trigger consent_reads_guard before insert on consent_reads for each row execute function consent_reads_guard();
create trigger consent_reads_append_only before update or delete on consent_reads for each row execute function refuse_change();
create trigger consent_reads_no_truncate before truncate on consent_reads for each statement execute function refuse_change();

-- A way in, once: the operator's own login gives it to a user whom it knows.
create table sign_in_links (
  secret_sha256 bytea primary key check (length(secret_sha256) = 32),
  user_id uuid not null references users (id),
  return_to text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at timestamptz
);
create index sign_in_links_ending on sign_in_links (expires_at);

create table user_sessions (
  secret_sha256 bytea primary key check (length(secret_sha256) = 32),
  user_id uuid not null references users (id),
  created_at timestamptz not null,
  expires_at timestamptz not null,
  ended_at timestamptz
);
create index user_sessions_ending on user_sessions (expires_at);

-- What was ended stays so, from that instant on.
create function refuse_reopening() returns trigger language plpgsql as $$
begin
  raise exception 'what ended in % stays as it ended', tg_table_name using errcode = 'restrict_violation';
end $$;
create trigger integrations_stay_revoked before update on integrations for each row
  when (old.revoked_at is not null and new.revoked_at is distinct from old.revoked_at) execute function refuse_reopening();
create trigger integration_keys_stay_revoked before update on integration_keys for each row
  when (old.revoked_at is not null and new.revoked_at is distinct from old.revoked_at) execute function refuse_reopening();
create trigger sign_in_links_stay_used before update on sign_in_links for each row
  when (old.used_at is not null and new.used_at is distinct from old.used_at) execute function refuse_reopening();
create trigger user_sessions_stay_ended before update on user_sessions for each row
  when (old.ended_at is not null and new.ended_at is distinct from old.ended_at) execute function refuse_reopening();
