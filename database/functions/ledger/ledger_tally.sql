-- Adds up the counts of some types.
-- Called by: `ledger_locate`, `ledger_rank`.
-- Locks: nothing.
-- Costs: no table is read.
create or replace function ledger_tally(buys bigint, sells bigint, swaps bigint, transfers bigint,
  types ledger_line_type[]) returns bigint
language sql immutable as $$
  select case when 'buy' = any (types) then buys else 0 end
    + case when 'sell' = any (types) then sells else 0 end
    + case when 'swap-bridge' = any (types) then swaps else 0 end
    + case when 'transfer-token' = any (types) then transfers else 0 end
$$;
