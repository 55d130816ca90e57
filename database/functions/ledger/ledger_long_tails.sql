-- Returns which of some lists have long tails, in order; no more than one posting cuts, the longest first.
-- Called by: `ledger_post_lines`.
-- Locks: nothing.
-- Costs: no table is read.
create or replace function ledger_long_tails(heads ledger_lists[]) returns bigint[]
language sql stable as $$
  select array_agg(h.id order by h.id) from (
    select h.id from unnest(heads) h where h.tail_size >= 128
    order by h.tail_size desc limit ledger_cuts_max()
  ) h
$$;
