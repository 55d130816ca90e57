-- Why: partners and integrations read events, in a feed without gaps, instead of asking again and again.
--
-- A change records an event in its own transaction (event_records). One worker at a time gives records their
-- numbers in the order in which they are seen committed (events), so a reader that has passed a number never
-- misses a lower one.

create table event_records (
  id bigint generated always as identity,
  -- Records that come in thousands at a time: others are numbered first.
  is_bulk boolean not null default false,
  type text not null,
  -- What the event is about, such as withdrawal:<id>. Events of one resource keep their order.
  resource text not null,
  -- Who may receive it: one partner, one integration, or every partner with a key of this user.
  partner_id uuid,
  integration_id uuid,
  user_id uuid,
  -- Of an event for one partner: only keys of this user may read it.
  reader_user_id uuid,
  previous_status text,
  -- Columns as they were at the change, where later changes replace them.
  facts jsonb not null default '{}',
  recorded_at timestamptz not null default clock_timestamp(),
  primary key (is_bulk, id),
  check (num_nonnulls(partner_id, integration_id, user_id) = 1)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0);

-- Records that could not be presented. They are tried again, and later records of their resources wait.
create table event_parked (
  id bigint primary key,
  is_bulk boolean not null,
  type text not null,
  resource text not null,
  partner_id uuid,
  integration_id uuid,
  user_id uuid,
  reader_user_id uuid,
  previous_status text,
  facts jsonb not null,
  recorded_at timestamptz not null,
  parked_at timestamptz not null,
  reason text not null
);
create index event_parked_by_resource on event_parked (resource);

create table event_streams (
  id bigint generated always as identity primary key,
  partner_id uuid unique references partners,
  integration_id uuid unique references integrations,
  last_sequence bigint not null default 0 check (last_sequence >= 0),
  -- Events up to this one were deleted after their retention.
  swept_sequence bigint not null default 0 check (swept_sequence between 0 and last_sequence),
  check (num_nonnulls(partner_id, integration_id) = 1)
);

create table events (
  stream_id bigint not null references event_streams,
  sequence bigint not null check (sequence > 0),
  id text not null unique,
  type text not null,
  resource text not null,
  -- The owner of the account or endpoint that it is about: only keys of this user may read it.
  user_id uuid,
  recorded_at timestamptz not null,
  numbered_at timestamptz not null,
  -- The event as it is sent and signed, byte for byte.
  body text not null check (octet_length(body) <= 20480),
  primary key (stream_id, sequence)
);
