-- Returns rows that together have every line of a settled list from one place up to another once: the largest
-- nodes that are stored, none above `top`, and for what is between them rows of level -1, which are counted
-- now. One statement: with rows in variables it took twenty times as long (`npm run bench -- history filters`
-- measures it).
-- Called by: `ledger_find`.
-- Locks: nothing.
-- Costs: of a list whose nodes are all stored: the nodes of the top level, on lower levels those below two
-- nodes, and the lines of two nodes and of the tail. Else also each line that no stored node has.
create or replace function ledger_kinds_cover(in_list bigint, lo_at timestamptz, lo_number bigint,
  hi_at timestamptz, hi_number bigint, top integer) returns setof ledger_kinds
language sql stable rows 100 set jit = off as $$
  with nodes2 as materialized (
    select s.* from ledger_kinds s where top >= 2 and s.list_id = in_list and s.level = 2
      and (s.first_at, s.first_number) >= (lo_at, lo_number)
      and (s.first_at, s.first_number) < (hi_at, hi_number)
      and (s.upto_at, s.upto_number) <= (hi_at, hi_number)
  ), gaps2 as materialized (
    -- From where the range begins, or a node ends, to the next node or the end of the range.
    select * from (
      select e.at, e.number, e.begins, lead(e.at) over w as next_at, lead(e.number) over w as next_number
      from (
        values (lo_at, lo_number, true), (hi_at, hi_number, false)
        union all select n.upto_at, n.upto_number, true from nodes2 n
        union all select n.first_at, n.first_number, false from nodes2 n
      ) e (at, number, begins) window w as (order by e.at, e.number, e.begins desc)
    ) g where g.begins and (g.at, g.number) < (g.next_at, g.next_number)
  ), nodes1 as materialized (
    select s.* from gaps2 g cross join lateral (
      select * from ledger_kinds k where top >= 1 and k.list_id = in_list and k.level = 1
        and (k.first_at, k.first_number) >= (g.at, g.number)
        and (k.first_at, k.first_number) < (g.next_at, g.next_number)
        and (k.upto_at, k.upto_number) <= (g.next_at, g.next_number) offset 0) s
  ), gaps1 as materialized (
    select * from (
      select e.at, e.number, e.begins, lead(e.at) over w as next_at, lead(e.number) over w as next_number
      from (
        select g.at, g.number, true from gaps2 g
        union all select g.next_at, g.next_number, false from gaps2 g
        union all select n.upto_at, n.upto_number, true from nodes1 n
        union all select n.first_at, n.first_number, false from nodes1 n
      ) e (at, number, begins) window w as (order by e.at, e.number, e.begins desc)
    ) g where g.begins and (g.at, g.number) < (g.next_at, g.next_number)
  ), nodes0 as materialized (
    select s.* from gaps1 g cross join lateral (
      select * from ledger_kinds k where k.list_id = in_list and k.level = 0
        and (k.first_at, k.first_number) >= (g.at, g.number)
        and (k.first_at, k.first_number) < (g.next_at, g.next_number)
        and (k.upto_at, k.upto_number) <= (g.next_at, g.next_number) offset 0) s
  ), gaps0 as materialized (
    select * from (
      select e.at, e.number, e.begins, lead(e.at) over w as next_at, lead(e.number) over w as next_number
      from (
        select g.at, g.number, true from gaps1 g
        union all select g.next_at, g.next_number, false from gaps1 g
        union all select n.upto_at, n.upto_number, true from nodes0 n
        union all select n.first_at, n.first_number, false from nodes0 n
      ) e (at, number, begins) window w as (order by e.at, e.number, e.begins desc)
    ) g where g.begins and (g.at, g.number) < (g.next_at, g.next_number)
  )
  select * from nodes2 union all select * from nodes1 union all select * from nodes0
  union all select in_list, (-1)::smallint, g.at, g.number, g.next_at, g.next_number,
    ledger_kinds_between(in_list, g.at, g.number, g.next_at, g.next_number) from gaps0 g
$$;
