-- Cuts a node that has become large. A node above that would get more than 64 nodes is grouped again.
-- Called by: `ledger_count`.
-- Locks: the nodes that it replaces or updates. The caller holds the row of the list.
-- Costs: one `ledger_cut_lines` for the node; on at most two upper levels, one update, one
-- `ledger_group_nodes` or one `ledger_group_waiting`.
create or replace function ledger_cut_node(in_list bigint, at timestamptz, at_number bigint) returns void
language plpgsql as $$
declare
  list ledger_lists;
  node ledger_nodes := ledger_node_at(in_list, 0, at, at_number);
  added integer;
begin
  select * into strict list from ledger_lists l where l.id = in_list;
  added := (ledger_cut_lines(list, node.first_at, node.first_number, node.upto_at, node.upto_number,
    false)).made - 1;
  for upper in 1..2 loop
    node := ledger_node_at(in_list, upper, at, at_number);
    if node.list_id is null or (node.upto_at, node.upto_number) <= (at, at_number) then
      perform ledger_group_waiting(list);
      exit;
    end if;
    if node.size + added <= 64 then
      update ledger_nodes n set size = n.size + added
        where n.list_id = in_list and n.level = upper
          and (n.first_at, n.first_number) = (node.first_at, node.first_number);
      exit;
    end if;
    added := ledger_group_nodes(list, upper, node.first_at, node.first_number, node.upto_at, node.upto_number,
      false) - 1;
  end loop;
end $$;
