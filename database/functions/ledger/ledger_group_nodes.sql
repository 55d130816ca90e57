-- Groups the nodes of the level below in a range by 32, in place of the nodes that were there. At the end of
-- a list (`is_tail`), at least the last 32 stay without a node above. Returns how many nodes it made.
-- Called by: `ledger_cut_node`, `ledger_group_waiting`.
-- Locks: the nodes that it deletes. The caller holds the row of the list.
-- Costs: reads the nodes of the level below in the range; one insert for each 32; one `ledger_sum_nodes` and
-- one `ledger_kinds_drop_between`.
create or replace function ledger_group_nodes(list ledger_lists, to_level integer, lo_at timestamptz,
  lo_number bigint, hi_at timestamptz, hi_number bigint, is_tail boolean) returns integer
language plpgsql as $$
declare
  made integer;
begin
  delete from ledger_nodes n where n.list_id = list.id and n.level = to_level
    and (n.first_at, n.first_number) >= (lo_at, lo_number)
    and (n.first_at, n.first_number) < (hi_at, hi_number);
  perform ledger_kinds_drop_between(list, to_level, lo_at, lo_number, hi_at, hi_number);
  with placed as (
    select n.*, row_number() over (order by n.first_at, n.first_number) - 1 as place,
      count(*) over () as total
    from ledger_nodes n
    where n.list_id = list.id and n.level = to_level - 1
      and (n.first_at, n.first_number) >= (lo_at, lo_number)
      and (n.first_at, n.first_number) < (hi_at, hi_number)
  ), grouped as (
    insert into ledger_nodes (list_id, level, first_at, first_number, upto_at, upto_number, size, buys, sells,
      swaps, transfers)
    select list.id, to_level,
      (array_agg(first_at order by place))[1], (array_agg(first_number order by place))[1],
      (array_agg(upto_at order by place desc))[1], (array_agg(upto_number order by place desc))[1],
      count(*), sum(buys), sum(sells), sum(swaps), sum(transfers)
    from placed group by place / 32, total having not is_tail or place / 32 < total / 32 - 1
    returning 1
  )
  select count(*) into made from grouped;
  perform ledger_sum_nodes(list, to_level, lo_at, lo_number, hi_at, hi_number);
  return made;
end $$;
