-- Counts rows that were added to a list, and cuts nodes of more than 128 rows. A list of at most 128 has no
-- nodes.
-- Called by: `card_movements_count`, `card_transactions_count`.
-- Locks: the row of the list, then the nodes that count the added rows.
-- Costs: one update of the list; for each added row, three nodes found and at most three updated; `card_cut`
-- for each node that is too large.
create or replace function card_count(in_list bigint, ats timestamptz[], numbers bigint[]) returns void
language plpgsql set plan_cache_mode = force_generic_plan as $$
declare
  list card_lists;
  large record;
begin
  update card_lists l set size = l.size + cardinality(ats) where l.id = in_list returning * into list;
  if list.size <= 128 then return; end if;
  if list.size - cardinality(ats) <= 128 then
    perform card_cut(list, '-infinity', 0, 'infinity', 0);
    return;
  end if;
  for large in
    with counted as (
      update card_nodes n set size = n.size + case when n.level = 0 then c.members else 0 end,
        members = n.members + c.members
      from (
        select d.level, f.first_at, f.first_number, count(*) as members
        from unnest(ats, numbers) as k (at, number), generate_series(0, 2) as d (level), lateral (
          select n.first_at, n.first_number from card_nodes n
          where n.list_id = in_list and n.level = d.level and (n.first_at, n.first_number) <= (k.at, k.number)
          order by n.first_at desc, n.first_number desc limit 1) f
        group by d.level, f.first_at, f.first_number
      ) c
      where n.list_id = in_list and n.level = c.level
        and (n.first_at, n.first_number) = (c.first_at, c.first_number)
      returning n.*
    )
    select c.* from counted c where c.level = 0 and c.size > 128
  loop
    perform card_cut(list, large.first_at, large.first_number, large.upto_at, large.upto_number);
  end loop;
end $$;
