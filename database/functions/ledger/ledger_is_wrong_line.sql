-- Returns whether a line that has all of its columns is not valid, or moves nothing.
-- Called by: `ledger_chain_lines`, `ledger_chain_postings`.
-- Locks: nothing.
-- Costs: no table is read; the planner puts this expression into that of the caller.
create or replace function ledger_is_wrong_line(line ledger_lines) returns boolean
language sql immutable as $$
  select not isfinite(line.transaction_at) or length(line.operation_id) not between 1 and 255
    or length(line.unique_hash_id) not between 1 and 255
    or (line.sent_account_id is null) <> (line.sent_amount is null)
    or (line.received_account_id is null) <> (line.received_amount is null)
    or line.sent_account_id is not distinct from line.received_account_id
    or line.sent_amount not between '1' and '1e78' or line.received_amount not between '1' and '1e78'
$$;
