-- Makes nodes of a tail that has become long.
-- Called by: `ledger_count_unsettled`, `ledger_note_new_withdrawals`, `ledger_place_lines`.
-- Locks: the row of the list.
-- Costs: one `ledger_cut_lines` for all lines of the tail; one update of the list; one
-- `ledger_group_waiting`.
create or replace function ledger_cut_tail(in_list bigint) returns void
language plpgsql as $$
declare
  list ledger_lists;
  cut record;
  last ledger_nodes;
begin
  select * into strict list from ledger_lists l where l.id = in_list;
  cut := ledger_cut_lines(list, list.tail_at, list.tail_number, 'infinity', 0, true);
  last := ledger_node_at(in_list, 0, 'infinity', 0);
  update ledger_lists l set tail_at = last.upto_at, tail_number = last.upto_number,
    tail_size = l.tail_size - cut.counted
    where l.id = in_list;
  perform ledger_group_waiting(list);
end $$;
