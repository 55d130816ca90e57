-- Counts lines that were added to nodes (`sign` 1) or taken out of them (-1). After adding, it cuts at most
-- `cuts_max` nodes that have more than 128 lines, and returns how many.
-- Called by: `ledger_count_late`, `ledger_count_unsettled`, `ledger_note_new_withdrawals`.
-- Locks: the nodes that it updates or cuts. The caller holds the row of the list.
-- Costs: for each line, at most four nodes found and three updated; one `ledger_cut_node` for each cut.
create or replace function ledger_count(in_list bigint, types ledger_line_type[], ats timestamptz[],
  numbers bigint[], sign integer, cuts_max integer default ledger_cuts_max()) returns integer
language plpgsql as $$
declare
  large record;
  cuts integer := 0;
begin
  update ledger_nodes n set
    size = n.size + case when n.level = 0 then sign * c.buys + sign * c.sells + sign * c.swaps
      + sign * c.transfers else 0 end,
    buys = n.buys + sign * c.buys, sells = n.sells + sign * c.sells, swaps = n.swaps + sign * c.swaps,
    transfers = n.transfers + sign * c.transfers
  from (
    select f.level, f.first_at, f.first_number, count(*) filter (where k.type = 'buy') as buys,
      count(*) filter (where k.type = 'sell') as sells,
        count(*) filter (where k.type = 'swap-bridge') as swaps,
      count(*) filter (where k.type = 'transfer-token') as transfers
    from unnest(types, ats, numbers) as k (type, at, number), generate_series(0, 2) as level,
      lateral ledger_node_at(in_list, level, k.at, k.number) f
    where (f.upto_at, f.upto_number) > (k.at, k.number)
    group by f.level, f.first_at, f.first_number
  ) c
  where n.list_id = in_list and n.level = c.level
    and (n.first_at, n.first_number) = (c.first_at, c.first_number);
  if sign < 0 or cuts_max = 0 then return 0; end if;
  for large in
    select distinct f.first_at, f.first_number from unnest(ats, numbers) as k (at, number),
      lateral ledger_node_at(in_list, 0, k.at, k.number) f
    where f.size > 128 limit cuts_max
  loop
    perform ledger_cut_node(in_list, large.first_at, large.first_number);
    cuts := cuts + 1;
  end loop;
  return cuts;
end $$;
