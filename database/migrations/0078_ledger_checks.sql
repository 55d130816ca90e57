-- Why: verifying a long ledger takes minutes, so a check of new lines must know where the last one ended.

-- What `ledger.verify` found right: a ledger up to a line (`list:<id>`), or postings up to an id (`postings`).
-- Sealed with ENCRYPTION_KEYS: who can only write to the database cannot move a check forward.
create table ledger_checks (
  subject text primary key,
  sealed bytea not null,
  checked_at timestamptz not null
);
