-- Cuts a range of lines into nodes of 64, in place of those that were there. Returns how many nodes, and how
-- many lines in them. Of the tail, at least the newest 64 stay without a node: most lines arrive there, where
-- counting costs nothing.
-- Called by: `ledger_cut_node`, `ledger_cut_tail`.
-- Locks: the nodes that it deletes. The caller holds the row of the list.
-- Costs: reads each line in the range; one insert for each 64; one `ledger_sum_nodes` and one
-- `ledger_kinds_drop_between`.
create or replace function ledger_cut_lines(list ledger_lists, lo_at timestamptz, lo_number bigint,
  hi_at timestamptz, hi_number bigint, is_tail boolean, out made integer, out counted integer)
language plpgsql as $$
begin
  delete from ledger_nodes n where n.list_id = list.id and n.level = 0
    and (n.first_at, n.first_number) >= (lo_at, lo_number)
    and (n.first_at, n.first_number) < (hi_at, hi_number);
  perform ledger_kinds_drop_between(list, 0, lo_at, lo_number, hi_at, hi_number);
  with placed as (
    select k.*, row_number() over (order by k.transaction_at, k.number) - 1 as place,
      count(*) over () as total
    from ledger_keys(list, lo_at, lo_number, hi_at, hi_number) k
  ), pieces as (
    select place / 64 as piece, min(total) as total,
      min(transaction_at) filter (where place % 64 = 0) as at,
        min(number) filter (where place % 64 = 0) as number,
      count(*) as size, count(*) filter (where type = 'buy') as buys,
        count(*) filter (where type = 'sell') as sells,
      count(*) filter (where type = 'swap-bridge') as swaps,
        count(*) filter (where type = 'transfer-token') as transfers
    from placed group by place / 64
  ), bounded as (
    select *, lead(at, 1, hi_at) over w as next_at, lead(number, 1, hi_number) over w as next_number
    from pieces window w as (order by piece)
  ), cut as (
    insert into ledger_nodes (list_id, level, first_at, first_number, upto_at, upto_number, size, buys, sells,
      swaps, transfers)
    select list.id, 0, case when piece = 0 then lo_at else at end,
      case when piece = 0 then lo_number else number end, next_at, next_number, size, buys, sells, swaps,
      transfers
    from bounded where not is_tail or piece < total / 64 - 1
    returning size
  )
  select count(*), sum(size) into made, counted from cut;
  perform ledger_sum_nodes(list, 0, lo_at, lo_number, hi_at, hi_number);
end $$;
