-- Returns whether a posting of one line that moves one account is valid: kind, ids, hash, time and amounts.
-- Called by: `ledger_post_single`.
-- Locks: nothing.
-- Costs: no table is read.
create or replace function ledger_may_post(kind text, operation text, transaction_hash text,
  transaction_at timestamptz, line_operation text, key text, amount numeric, spent numeric) returns boolean
language sql immutable as $$
  select kind in ('fund', 'withdrawal', 'deposit', 'post', 'settle') and length(operation) between 1 and 255
    and (transaction_hash is null or ledger_is_hash(transaction_hash)) and isfinite(transaction_at)
    and length(line_operation) between 1 and 255 and (key is null or length(key) between 1 and 255)
    and amount <> 0 and amount <> 'NaN' and scale(amount) = 0 and spent >= 0 and spent <> 'NaN'
    and scale(spent) = 0
$$;
