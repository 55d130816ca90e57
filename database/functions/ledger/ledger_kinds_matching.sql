-- Counts the lines of kinds of some types that send from some accounts or are received by some.
-- Called by: `ledger_find`.
-- Locks: nothing.
-- Costs: one step for each kind; no table is read.
create or replace function ledger_kinds_matching(kinds ledger_kind[], types ledger_line_type[],
  senders bigint[], receivers bigint[])
returns bigint
language sql immutable as $$
  select coalesce(sum(k.lines), 0)::bigint from unnest(kinds) k
  where k.type = any (types)
    and (k.sent_account_id = any (senders) or k.received_account_id = any (receivers))
$$;
