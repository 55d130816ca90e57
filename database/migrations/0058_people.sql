-- Why: operators are named tokens that are hard to revoke; people sign in with passkeys, under a role.
--
-- Secrets of links and cookies, and challenges, are stored as SHA-256 only.

create table people (
  id uuid primary key default uuidv7(),
  -- Staff of the operator, of a partner or of an integration.
  kind text not null check (kind in ('operator', 'partner', 'integration')),
  partner_id uuid references partners,
  integration_id uuid references integrations,
  role text not null,
  name text not null check (length(name) <= 200),
  email text not null check (length(email) <= 254),
  created_at timestamptz not null,
  removed_at timestamptz,
  check ((kind = 'partner') = (partner_id is not null)),
  check ((kind = 'integration') = (integration_id is not null)),
  check (case kind
    when 'operator' then role in ('viewer', 'support', 'treasury', 'compliance', 'admin')
    when 'partner' then role in ('developer', 'finance', 'owner')
    else role in ('developer', 'owner') end)
);
create unique index people_by_email on people (email, partner_id, integration_id) nulls not distinct
  where removed_at is null;

create table person_invitations (
  secret_sha256 bytea primary key check (length(secret_sha256) = 32),
  person_id uuid not null references people,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at timestamptz,
  voided_at timestamptz
);
create index person_invitations_by_person on person_invitations (person_id);

create table person_passkeys (
  credential_id bytea primary key check (length(credential_id) <= 1023),
  person_id uuid not null references people,
  public_key bytea not null,
  counter bigint not null check (counter >= 0),
  transports text[] not null,
  is_backed_up boolean not null,
  created_at timestamptz not null,
  last_used_at timestamptz
);
create index person_passkeys_by_person on person_passkeys (person_id);

-- Who a person is at the operator's OpenID provider, once an invitation matched the verified email.
create table person_identities (
  issuer text not null,
  subject text not null check (length(subject) <= 255),
  person_id uuid not null references people,
  created_at timestamptz not null,
  primary key (issuer, subject)
);
create index person_identities_by_person on person_identities (person_id);

create table person_sessions (
  secret_sha256 bytea primary key check (length(secret_sha256) = 32),
  id uuid not null unique default uuidv7(),
  person_id uuid not null references people,
  created_at timestamptz not null,
  last_seen_at timestamptz not null,
  -- The last passkey assertion in this session.
  asserted_at timestamptz not null,
  expires_at timestamptz not null,
  ended_at timestamptz
);
create index person_sessions_by_person on person_sessions (person_id);
create index person_sessions_ending on person_sessions (expires_at);

create table person_challenges (
  challenge_sha256 bytea primary key check (length(challenge_sha256) = 32),
  purpose text not null check (purpose in
    ('register', 'sign-in', 'step-up', 'openid-register', 'openid-sign-in', 'openid-step-up')),
  -- The invitation or the session that it belongs to.
  bound_to bytea,
  expires_at timestamptz not null,
  check ((purpose in ('sign-in', 'openid-sign-in')) = (bound_to is null))
);
create index person_challenges_ending on person_challenges (expires_at);
