-- Why: developers apply for Connect, make and replace their key themselves, and see how their reads went.

-- People of such an integration make its keys, and no operator sees one.
alter table integrations add column keys_by_owner boolean not null default false;

create table integration_key_uses (
  key_id text primary key references integration_keys,
  last_used_at timestamptz not null
);

-- How reads of consented data went: `ok`, or the code of the refusal. For people of the integration.
create table consent_read_counts (
  integration_id uuid not null references integrations,
  hour timestamptz not null,
  outcome text not null check (length(outcome) between 1 and 60),
  count bigint not null check (count > 0),
  primary key (integration_id, hour, outcome)
);
create index consent_read_counts_by_hour on consent_read_counts (hour);

-- What a stranger asked for on a page. Open ones expire, ended ones are deleted later.
create table connect_applications (
  id uuid primary key default uuidv7(),
  -- Of the private link where the applicant follows it.
  link_sha256 bytea not null unique check (length(link_sha256) = 32),
  -- Of the form that was sent, so that it makes one application.
  form_sha256 bytea not null unique check (length(form_sha256) = 32),
  name text not null check (length(name) between 1 and 100),
  logo_color text not null,
  purposes text[] not null check (cardinality(purposes) between 1 and 20),
  scopes text[] not null check (cardinality(scopes) between 1 and 4),
  redirect_uris text[] not null check (cardinality(redirect_uris) between 1 and 20),
  homepage_url text,
  privacy_url text,
  applicant_name text not null check (length(applicant_name) between 1 and 200),
  applicant_email text not null check (length(applicant_email) between 3 and 254),
  status text not null default 'open' check (status in ('open', 'approved', 'refused', 'expired')),
  created_at timestamptz not null,
  expires_at timestamptz not null,
  ended_at timestamptz,
  -- Why it was refused, for the applicant.
  reason text check (length(reason) between 1 and 500),
  integration_id uuid references integrations,
  person_id uuid references people,
  check ((status = 'open') = (ended_at is null)),
  check ((status = 'approved') = (integration_id is not null and person_id is not null)),
  check ((status = 'refused') = (reason is not null))
);
create index connect_applications_open on connect_applications (applicant_email) where status = 'open';
create index connect_applications_ended on connect_applications (ended_at) where status <> 'open';
