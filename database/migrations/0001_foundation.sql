-- Why: the people, partners and keys that everything else refers to, the audit log, and the rate windows.

create table partners (
  id uuid primary key default uuidv7(),
  name text not null check (length(name) between 1 and 200),
  created_at timestamptz not null
);

create table users (
  id uuid primary key default uuidv7(),
  email text not null constraint users_email_lower check (email = lower(email) and length(email) <= 254),
  email_verified boolean not null,
  given_name text not null,
  family_name text not null,
  entity_type text not null check (entity_type in ('individual', 'business')),
  legal_name text,
  document_type text,
  -- Sealed by the application: table, column and row id are bound into the ciphertext.
  document_number_sealed bytea,
  tax_id_sealed bytea,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint users_email_key unique (email)
);

-- The smart wallet that an email or user id resolves to, one a network; addresses in lower case.
create table user_wallets (
  user_id uuid not null references users (id),
  network text not null check (network ~ '^[a-z0-9-]{1,40}$'),
  address text not null check (address ~ '^0x[0-9a-f]{40}$'),
  verified_at timestamptz not null,
  primary key (user_id, network),
  -- A deposit to an address must have one owner.
  constraint user_wallets_address_key unique (network, address)
);

create table blocked_addresses (
  address text primary key check (address ~ '^0x[0-9a-f]{40}$'),
  reason text not null,
  blocked_at timestamptz not null
);

-- The partner's allowed list.
create table partner_users (
  partner_id uuid not null references partners (id),
  user_id uuid not null references users (id),
  allowed_at timestamptz not null,
  primary key (partner_id, user_id)
);
create index partner_users_user on partner_users (user_id);

create table api_keys (
  -- The public part of the token: what a request is looked up by.
  id text primary key check (id ~ '^[a-z2-7]{16}$'),
  secret_sha256 bytea not null check (length(secret_sha256) = 32),
  name text not null,
  partner_id uuid not null references partners (id),
  user_id uuid not null references users (id),
  scopes text[] not null,
  ip_allowlist text[] not null,
  created_at timestamptz not null,
  expires_at timestamptz,
  revoked_at timestamptz,
  -- The key that this one took over from, and the one that took over from it.
  rotated_from text references api_keys (id),
  rotated_at timestamptz
);
create index api_keys_partner on api_keys (partner_id, id);
create index api_keys_user on api_keys (user_id, id);

create table audit_log (
  id bigint primary key,
  at timestamptz not null,
  actor_kind text not null,
  actor_id text not null,
  action text not null,
  subject text not null,
  before jsonb,
  after jsonb,
  hash bytea not null
);
create index audit_log_subject on audit_log (subject, id);
create index audit_log_action on audit_log (action, id);

-- The newest row's number and hash. Locked by each insert, so that the numbers have no gaps and the chain no forks.
create table audit_head (
  singleton boolean primary key default true check (singleton),
  id bigint not null,
  hash bytea not null
);
insert into audit_head (id, hash) values (0, sha256('causeway audit log'));

create function audit_row_hash(previous bytea, r audit_log) returns bytea
language sql stable as $$
  select sha256(previous || convert_to(
    jsonb_build_array(r.id, extract(epoch from r.at), r.actor_kind, r.actor_id, r.action, r.subject, r.before, r.after)::text,
    'UTF8'))
$$;

create function audit_log_chain() returns trigger language plpgsql as $$
declare
  head audit_head;
begin
  select * into strict head from audit_head for update;
  new.id := head.id + 1;
  new.hash := audit_row_hash(head.hash, new);
  update audit_head set id = new.id, hash = new.hash;
  return new;
end $$;
create trigger audit_log_chain before insert on audit_log for each row execute function audit_log_chain();

create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% is append-only', tg_table_name using errcode = 'restrict_violation';
end $$;
create trigger audit_log_append_only before update or delete on audit_log
  for each row execute function refuse_change();
create trigger audit_log_no_truncate before truncate on audit_log
  for each statement execute function refuse_change();

-- Instants of admitted requests. Unlogged: after a crash every window starts empty, which is the worst that a lost row
-- can do, and no request pays for the write-ahead log. Half-filled pages keep each update on its own page.
create unlogged table rate_windows (
  policy text not null,
  subject text not null,
  hits timestamptz[] not null,
  admitted boolean not null,
  expires_at timestamptz not null,
  primary key (policy, subject)
) with (fillfactor = 50);

-- The window (now - span, now] of `hits`, with now added if fewer than `quota` are in it. Called under the row's lock, and the
-- clock is read here: no admission is dated before the one that it waited for. An instant ahead of the clock was written
-- before the clock was set back; it counts as now, so that nobody is admitted early or locked out for longer than a window.
create function admit_hit(past timestamptz[], quota integer, span interval,
  out hits timestamptz[], out admitted boolean, out expires_at timestamptz)
language plpgsql volatile as $$
declare
  at timestamptz := clock_timestamp();
  kept timestamptz[] := array(select least(h, at) from unnest(past) h where h > at - span order by h);
begin
  admitted := cardinality(kept) < quota;
  hits := case when admitted then kept || at else kept end;
  expires_at := hits[cardinality(hits)] + span;
end $$;
