-- Why: partners and support look up what a key asked, by its time, its key or its request id.

-- Rows are written in the background and kept for a week. They point at nothing: a row must not make an insert
-- wait for a lock of a partner or a key.
create table request_log (
  request_id uuid primary key,
  at timestamptz not null,
  partner_id uuid not null,
  -- Who asked: a key, or a person by session.
  key_id text,
  person_id uuid,
  method text not null,
  -- The pattern, and the path with its ids. Never a query, a header or a body.
  route text not null,
  path text not null,
  status smallint not null,
  error_code text,
  duration_ms integer not null,
  caller_address text not null
);

create index request_log_at on request_log (at desc, request_id desc);
create index request_log_partner on request_log (partner_id, at desc, request_id desc);
create index request_log_key on request_log (key_id, at desc, request_id desc) where key_id is not null;
