-- Why: events are sent to addresses that partners and integrations register, faster than they can ask for them.
--
-- A delivery is one event for one endpoint. Its row is the queue: workers claim rows that are due, for a
-- limited time, so a worker that dies holds nothing.

create table webhook_endpoints (
  id uuid primary key default uuidv7(),
  -- Its owner, and the events that it may receive.
  stream_id bigint not null references event_streams,
  -- It also receives events about the account of this user, or of all users of the partner.
  user_id uuid references users,
  is_for_all_users boolean not null default false,
  url text not null check (length(url) <= 2000),
  -- Null: all types.
  types text[],
  is_ordered boolean not null,
  description text not null check (length(description) <= 200),
  -- Sealed: the shared secret and the seed of the private key.
  secret bytea not null,
  public_key text not null,
  former_secret bytea,
  former_public_key text,
  former_ends_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  failing_since timestamptz,
  disabled_at timestamptz,
  disabled_reason text check (disabled_reason in ('owner', 'operator', 'gone', 'failing')),
  -- Since it was last disabled: the last event before those that it did not receive.
  resume_after bigint,
  deleted_at timestamptz,
  check (num_nonnulls(former_secret, former_public_key, former_ends_at) in (0, 3)),
  check ((disabled_at is null) = (disabled_reason is null)),
  check (disabled_at is null or resume_after is not null)
);
create index webhook_endpoints_by_stream on webhook_endpoints (stream_id, id) where deleted_at is null;

create table webhook_deliveries (
  id bigint generated always as identity primary key,
  endpoint_id uuid not null references webhook_endpoints,
  stream_id bigint not null,
  sequence bigint not null,
  resource text not null,
  status text not null default 'due' check (status in ('due', 'delivered', 'failed', 'canceled')),
  attempts integer not null default 0,
  due_at timestamptz not null,
  -- A worker has it until then.
  claimed_until timestamptz,
  created_at timestamptz not null,
  ended_at timestamptz,
  check ((status = 'due') = (ended_at is null)),
  check (status = 'due' or claimed_until is null)
) with (autovacuum_vacuum_scale_factor = 0.05);
create index webhook_deliveries_due on webhook_deliveries (endpoint_id, due_at, id) where status = 'due';
create index webhook_deliveries_by_resource on webhook_deliveries (endpoint_id, resource, id) where status = 'due';
create index webhook_deliveries_of_endpoint on webhook_deliveries (endpoint_id, id);
create index webhook_deliveries_of_event on webhook_deliveries (endpoint_id, sequence);
create index webhook_deliveries_by_age on webhook_deliveries using brin (created_at) with (autosummarize = on);

create table webhook_attempts (
  delivery_id bigint not null references webhook_deliveries on delete cascade,
  number integer not null,
  url text not null,
  started_at timestamptz not null,
  duration_ms integer not null,
  -- The answer, or why there is no whole one.
  status integer,
  error text,
  answer text not null check (octet_length(answer) <= 16384),
  primary key (delivery_id, number)
);
