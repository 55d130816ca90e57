-- Groups the nodes that no node of the next level covers, if there are at least 64.
-- Called by: `ledger_cut_node`, `ledger_cut_tail`.
-- Locks: nothing that exists: it only adds nodes. The caller holds the row of the list.
-- Costs: on each of two levels, one node found and the uncovered nodes counted; one `ledger_group_nodes` if
-- there are 64.
create or replace function ledger_group_waiting(list ledger_lists) returns void
language plpgsql as $$
declare
  last ledger_nodes;
  waiting integer;
begin
  for upper in 1..2 loop
    last := ledger_node_at(list.id, upper, 'infinity', 0);
    select count(*) into waiting from ledger_nodes n where n.list_id = list.id and n.level = upper - 1
      and (n.first_at, n.first_number) >= (coalesce(last.upto_at, '-infinity'),
        coalesce(last.upto_number, 0));
    exit when waiting < 64;
    perform ledger_group_nodes(list, upper, coalesce(last.upto_at, '-infinity'),
      coalesce(last.upto_number, 0), 'infinity', 0, true);
  end loop;
end $$;
