-- Counts the lines of some types in a list before a place.
-- Called by: `ledger_locate`.
-- Locks: nothing.
-- Costs: in the tail, the lines from the place on; else the nodes of the top level before it, on both lower
-- levels those below one node, and the lines of one node.
create or replace function ledger_rank(list ledger_lists, types ledger_line_type[], at timestamptz,
  at_number bigint) returns bigint
language plpgsql stable as $$
declare
  before bigint := 0;
  passed bigint;
  from_at timestamptz := '-infinity';
  from_number bigint := 0;
  hi_at timestamptz;
  hi_number bigint;
  node ledger_nodes;
begin
  if (at, at_number) >= (list.tail_at, list.tail_number) then
    return ledger_tally(list.buys, list.sells, list.swaps, list.transfers, types)
      - ledger_count_between(list, types, at, at_number, 'infinity', 0);
  end if;
  for depth in reverse 2..0 loop
    -- The node that the place is in, or the last one before it.
    select * into node from ledger_nodes n
      where n.list_id = list.id and n.level = depth and (n.first_at, n.first_number) <= (at, at_number)
      order by n.first_at desc, n.first_number desc limit 1;
    continue when not found;
    if (node.upto_at, node.upto_number) > (at, at_number) then
      hi_at := node.first_at;
      hi_number := node.first_number;
    else
      hi_at := node.upto_at;
      hi_number := node.upto_number;
    end if;
    select coalesce(sum(ledger_tally(n.buys, n.sells, n.swaps, n.transfers, types)), 0) into passed
      from ledger_nodes n
      where n.list_id = list.id and n.level = depth
        and (n.first_at, n.first_number) >= (from_at, from_number)
        and (n.first_at, n.first_number) < (hi_at, hi_number);
    before := before + passed;
    from_at := hi_at;
    from_number := hi_number;
  end loop;
  return before + ledger_count_between(list, types, from_at, from_number, at, at_number);
end $$;
