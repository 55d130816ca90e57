-- Returns the node of a level that a place is in, or the last one before it.
-- Called by: `ledger_count`, `ledger_cut_node`, `ledger_cut_tail`, `ledger_group_waiting`,
-- `ledger_kinds_drop`, `ledger_kinds_fill`, `ledger_sum_late`.
-- Locks: nothing.
-- Costs: one node, by index.
create or replace function ledger_node_at(in_list bigint, at_level integer, at timestamptz, at_number bigint)
  returns ledger_nodes
language sql stable as $$
  select n from ledger_nodes n
  where n.list_id = in_list and n.level = at_level and (n.first_at, n.first_number) <= (at, at_number)
  order by n.first_at desc, n.first_number desc limit 1
$$;
