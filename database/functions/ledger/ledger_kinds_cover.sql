-- Returns rows that together have every line of a settled list from one place up to another once: the largest nodes
-- that are stored, none above `top`, and for what is between them rows of level -1, which are counted now.
-- Called by: `ledger_find`.
-- Locks: nothing.
-- Costs: of a list whose nodes are all stored: the nodes of the top level, on lower levels those below two nodes, and
-- the lines of two nodes and of the tail. Else also each line that no stored node has.
create or replace function ledger_kinds_cover(in_list bigint, lo_at timestamptz, lo_number bigint, hi_at timestamptz, hi_number bigint,
  top integer) returns setof ledger_kinds
language plpgsql stable rows 100 as $$
declare
  gap_ats timestamptz[] := array[lo_at];
  gap_numbers bigint[] := array[lo_number];
  end_ats timestamptz[] := array[hi_at];
  end_numbers bigint[] := array[hi_number];
  nodes ledger_kinds[];
begin
  for depth in reverse top..0 loop
    nodes := array(select k from unnest(gap_ats, gap_numbers, end_ats, end_numbers) as g (lo_at, lo_number, hi_at, hi_number), lateral (
      select * from ledger_kinds s where s.list_id = in_list and s.level = depth
        and (s.first_at, s.first_number) >= (g.lo_at, g.lo_number) and (s.first_at, s.first_number) < (g.hi_at, g.hi_number)
        and (s.upto_at, s.upto_number) <= (g.hi_at, g.hi_number) offset 0) k);
    continue when cardinality(nodes) = 0;
    return query select * from unnest(nodes);
    -- What is left: from where a gap begins, or a node ends, to the next node or the end of the gap.
    select array_agg(p.at), array_agg(p.number), array_agg(p.next_at), array_agg(p.next_number)
      into gap_ats, gap_numbers, end_ats, end_numbers
    from (
      select e.*, lead(e.at) over w as next_at, lead(e.number) over w as next_number
      from (
        select g.at, g.number, true as begins from unnest(gap_ats, gap_numbers) as g (at, number)
        union all select g.at, g.number, false from unnest(end_ats, end_numbers) as g (at, number)
        union all select n.upto_at, n.upto_number, true from unnest(nodes) n
        union all select n.first_at, n.first_number, false from unnest(nodes) n
      ) e window w as (order by e.at, e.number, e.begins desc)
    ) p where p.begins and (p.at, p.number) < (p.next_at, p.next_number);
    exit when gap_ats is null;
  end loop;
  return query select in_list, (-1)::smallint, g.lo_at, g.lo_number, g.hi_at, g.hi_number,
      ledger_kinds_between(in_list, g.lo_at, g.lo_number, g.hi_at, g.hi_number)
    from unnest(gap_ats, gap_numbers, end_ats, end_numbers) as g (lo_at, lo_number, hi_at, hi_number);
end $$;
