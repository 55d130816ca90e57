-- Why: a dangerous operator command may need two operators. The first call stores what it asks for; another operator
-- approves or refuses it. The input is sealed and deleted at the decision or when it expires, because it may contain
-- personal data; its hash stays. The checks hold whatever code runs: nobody decides about what they asked for.
create table approval_requests (
  id uuid primary key,
  command text not null,
  input_sealed bytea,
  input_sha256 bytea not null check (length(input_sha256) = 32),
  requested_by text not null,
  requested_at timestamptz not null,
  expires_at timestamptz not null,
  status text not null default 'pending' check (status in ('pending', 'approved', 'refused', 'expired')),
  decided_by text,
  decided_at timestamptz,
  comment text,
  constraint approval_requests_two_people check (decided_by <> requested_by),
  constraint approval_requests_decided check ((status in ('approved', 'refused')) = (decided_by is not null)
    and (decided_by is null) = (decided_at is null)),
  constraint approval_requests_input check ((status = 'pending') = (input_sealed is not null))
);

create index approval_requests_pending on approval_requests (expires_at) where status = 'pending';
