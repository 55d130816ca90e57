-- Returns the postings of a JSON array, each with its only line, by place.
-- Kept for processes of the release before: a later migration drops it with `ledger_post_each`.
-- Called by: `ledger_post_each`.
-- Locks: nothing.
-- Costs: no table is read; the planner puts this query into that of the caller.
create or replace function ledger_read_singles(postings json)
returns table (place bigint, kind text, operation text, description text, hash text, log_index integer,
  fingerprint text, amount numeric, spent numeric, type ledger_line_type, line_at timestamptz,
  line_operation text, key text, line_description text, purpose text, user_description text,
  executed_at timestamptz)
language sql stable as $$
  select g.place, g.kind, g.operation, g.description, g.hash, g.log_index, g.fingerprint, g.amount, g.spent,
    g.type, g.line_at, g.line_operation, g.key, g.line_description, g.purpose, g.user_description,
    g.executed_at
  from rows from (json_to_recordset(postings) as (kind text, operation text, description text, hash text,
      "logIndex" integer, fingerprint text, amount numeric, spent numeric, type ledger_line_type,
      "lineAt" timestamptz, "lineOperation" text, key text, "lineDescription" text, purpose text,
      "userDescription" text, "executedAt" timestamptz))
    with ordinality as g (kind, operation, description, hash, log_index, fingerprint, amount, spent, type,
      line_at, line_operation, key, line_description, purpose, user_description, executed_at, place)
$$;
