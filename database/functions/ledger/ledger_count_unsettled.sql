-- Counts unsettled records of a list that were added (`sign` 1) or taken out (-1).
-- Called by: `ledger_note_completed_withdrawals`, `src/features/ledger/unsettled/queries.ts`.
-- Locks: the row of the list, then the nodes of the records.
-- Costs: one update of the list; `ledger_count` if a record is not in the tail; `ledger_cut_tail` if the tail
-- has 128.
create or replace function ledger_count_unsettled(in_list bigint, types ledger_line_type[], ats timestamptz[],
  numbers bigint[], sign integer)
returns void
language plpgsql as $$
declare
  list ledger_lists;
begin
  update ledger_lists l set buys = l.buys + sign * k.buys, sells = l.sells + sign * k.sells,
    swaps = l.swaps + sign * k.swaps, transfers = l.transfers + sign * k.transfers,
    tail_size = l.tail_size + sign * k.in_tail
  from (
    select count(*) filter (where n.type = 'buy') as buys, count(*) filter (where n.type = 'sell') as sells,
      count(*) filter (where n.type = 'swap-bridge') as swaps,
        count(*) filter (where n.type = 'transfer-token') as transfers,
      count(*) filter (where (n.at, n.number) >= (h.tail_at, h.tail_number)) as in_tail
    from ledger_lists h, unnest(types, ats, numbers) as n (type, at, number) where h.id = in_list
  ) k
  where l.id = in_list
  returning l.* into list;
  if exists (select from unnest(ats, numbers) as n (at, number)
      where (n.at, n.number) < (list.tail_at, list.tail_number)) then
    perform ledger_count(in_list, types, ats, numbers, sign);
  end if;
  if list.tail_size >= 128 then
    perform ledger_cut_tail(in_list);
  end if;
end $$;
