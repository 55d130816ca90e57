-- The columns of a line that postings write, as the type of a row between the steps of `ledger_post`. The row
-- type of `ledger_lines` has every column of the table, so a cast to it would fail from a migration that adds
-- one until the functions are applied. Do not change this view, because an older release could not write its
-- own again. For another column, write another view, and the functions that take it under other names.
-- Called by: `ledger_number_lines`, `ledger_post`, `ledger_write_lines`, as a type.
-- Locks: nothing.
-- Costs: nothing: it is never read.
create or replace view ledger_new_lines as
  select list_id, number, type, transaction_at, posting_id, operation_id, unique_hash_id, sent_account_id,
    sent_amount, received_account_id, received_amount, status, description, purpose, user_description,
    executed_at, hash
  from ledger_lines;
