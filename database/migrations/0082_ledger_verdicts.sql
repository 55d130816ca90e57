-- Why: pages show what the last verification of a ledger found, when, and who verified; a fault was known to its reader only.

-- `subject` is the id of a user, `books` for the house and all postings, or `all` for a run through all users.
create table ledger_verdicts (
  subject text primary key,
  fault_count integer not null,
  faults jsonb not null,
  since_last boolean not null,
  last_number bigint,
  last_hash text,
  actor_kind text not null,
  actor_id text not null,
  checked_at timestamptz not null
);
create index ledger_verdicts_faulty on ledger_verdicts (subject) where fault_count > 0;
