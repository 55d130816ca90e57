-- The columns of a line, as the type of a row between the steps of `ledger_post`.
-- Kept for processes of the release before: a later migration drops it with `ledger_post`.
-- Called by: `ledger_number_lines`, `ledger_post`, `ledger_write_lines`, as a type.
-- Locks: nothing.
-- Costs: nothing: it is never read.
create or replace view ledger_new_lines as
  select list_id, number, type, transaction_at, posting_id, operation_id, unique_hash_id, sent_account_id,
    sent_amount, received_account_id, received_amount, status, description, purpose, user_description,
    executed_at, hash
  from ledger_lines;
