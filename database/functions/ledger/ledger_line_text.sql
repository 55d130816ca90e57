-- Returns the text of a line that is hashed. It takes columns, so that a line need not be made into a row
-- first. As `jsonb`, the same text takes 1.7 times as many instructions.
-- Called by: `ledger_line_hash`, `ledger_post_single`.
-- Locks: nothing.
-- Costs: no table is read.
create or replace function ledger_line_text(list_id bigint, number bigint, type ledger_line_type,
  transaction_at timestamptz, posting_id bigint, operation_id text, unique_hash_id text,
  sent_account_id bigint, sent_amount numeric, received_account_id bigint, received_amount numeric,
  status text, description text, purpose text, user_description text, executed_at timestamptz) returns text
language sql stable as $$
  select json_build_array(list_id, number, type, extract(epoch from transaction_at), posting_id,
    operation_id, unique_hash_id, sent_account_id, sent_amount, received_account_id, received_amount, status,
    description, purpose, user_description, extract(epoch from executed_at))::text
$$;
