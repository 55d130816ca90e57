-- Why: a line that an operator posted for a transfer on chain is found by hash for as long as it exists.
alter table ledger_credits add column list_id bigint, add column line_number bigint;
