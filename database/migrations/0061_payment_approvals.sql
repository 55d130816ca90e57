-- Why: a rule can ask for approvals, and an approval must be bound to what is paid and to a person.
--
-- An approval is what a passkey signed: the SHA-256 of the payout. It is verified again before the payout is
-- signed, so a row that somebody wrote into this table pays nothing.

create table rule_approvals (
  withdrawal_id uuid not null,
  -- Of the set of rules that asked for it. A later set asks again.
  revision integer not null references rule_sets,
  person_id uuid not null references people,
  decision text not null check (decision in ('approve', 'refuse')),
  comment text check (length(comment) between 1 and 500),
  credential_id bytea not null,
  client_data bytea not null,
  authenticator_data bytea not null,
  signature bytea not null,
  decided_at timestamptz not null,
  primary key (withdrawal_id, revision, person_id)
);

-- The person who issued a key may not approve what it pays.
alter table api_keys add column issued_by uuid;
