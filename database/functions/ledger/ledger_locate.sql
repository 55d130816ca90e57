-- Returns how many lines of some types a list has in a window, and where a page begins: `rest` lines before a
-- place; no place if it is empty. `ats` and `numbers` say up to where each level counts.
-- Called by: `ledger_lines_page`, `ledger_page`, `ledger_unsettled_page`,
-- `src/features/ledger/lines/queries/statement.ts`.
-- Locks: nothing.
-- Costs: `ledger_rank` for each end given. Unless fewer than 128 such lines are newer than the page: one
-- statement a level, for all nodes of the top level, and on both lower levels for those below one node.
create or replace function ledger_locate(list ledger_lists, types ledger_line_type[], start_at timestamptz,
  end_at timestamptz, skip bigint, out total bigint, out upto_at timestamptz, out upto_number bigint,
  out rest bigint, out ats timestamptz[], out numbers bigint[])
language plpgsql stable as $$
declare
  every bigint := ledger_tally(list.buys, list.sells, list.swaps, list.transfers, types);
  older bigint := case when start_at is null then 0 else ledger_rank(list, types, start_at, 0) end;
  newest bigint := case when end_at is null then every else ledger_rank(list, types, end_at,
    9223372036854775807) end;
  -- The line that the page begins with is the one with this many up to and including it.
  wanted bigint := newest - skip;
  -- Cheaper for each node than to look a type up.
  weights integer[] := array['buy' = any (types), 'sell' = any (types), 'swap-bridge' = any (types),
    'transfer-token' = any (types)]::integer[];
  before bigint := 0;
  from_at timestamptz := '-infinity';
  from_number bigint := 0;
  hi_at timestamptz := 'infinity';
  hi_number bigint := 0;
  node record;
begin
  -- A period that ends before it starts is empty.
  total := greatest(0, newest - older);
  if wanted <= older then return; end if;
  upto_at := 'infinity';
  upto_number := 0;
  rest := every - wanted;
  -- Near the end of the list there is nothing to find.
  if rest < 128 then return; end if;
  for depth in reverse 2..0 loop
    -- The node with the wanted line, by how many there are through each; or the last one, where the line
    -- comes after it.
    select * into node from (
      select n.first_at, n.first_number, n.upto_at, n.upto_number, c.count, sum(c.count) over w as through,
        lead(n.first_number) over w is null as is_last
      from ledger_nodes n,
        lateral (select n.buys * weights[1] + n.sells * weights[2] + n.swaps * weights[3]
        + n.transfers * weights[4] as count) c
      where n.list_id = list.id and n.level = depth
        and (n.first_at, n.first_number) >= (from_at, from_number)
        and (n.first_at, n.first_number) < (hi_at, hi_number)
      window w as (order by n.first_at, n.first_number)
    ) w where w.through >= wanted - before or w.is_last order by w.first_at, w.first_number limit 1;
    if node.through >= wanted - before then
      before := before + node.through - node.count;
      from_at := node.first_at;
      from_number := node.first_number;
      hi_at := node.upto_at;
      hi_number := node.upto_number;
    elsif found then
      -- The next level has nodes that this one does not cover.
      before := before + node.through;
      from_at := node.upto_at;
      from_number := node.upto_number;
    end if;
    ats[depth + 1] := from_at;
    numbers[depth + 1] := from_number;
  end loop;
  -- Otherwise it begins after the last node.
  if hi_at < 'infinity' then
    upto_at := hi_at;
    upto_number := hi_number;
    rest := before + node.count - wanted;
    ats[1] := hi_at;
    numbers[1] := hi_number;
  else
    ats := null;
  end if;
end $$;
