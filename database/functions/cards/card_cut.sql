-- Cuts a large node, or a list without nodes, into nodes of 64 rows or a few more. A node above with more
-- than 64 nodes below is cut into nodes of 32 or a few more.
-- Called by: `card_count`.
-- Locks: the nodes that it deletes or updates. The caller holds the row of the list.
-- Costs: reads each row in the range and writes a node for each 64; on each of two upper levels it reads the
-- nodes below one node, and rewrites that node if there are more than 64.
create or replace function card_cut(list card_lists, lo_at timestamptz, lo_number bigint, hi_at timestamptz,
  hi_number bigint) returns void
language plpgsql as $$
declare
  above card_nodes;
  below integer;
begin
  delete from card_nodes n where n.list_id = list.id and n.level = 0
    and (n.first_at, n.first_number) >= (lo_at, lo_number)
    and (n.first_at, n.first_number) < (hi_at, hi_number);
  insert into card_nodes (list_id, level, first_at, first_number, upto_at, upto_number, size, members)
    with keys as materialized (
      select * from card_keys(list, lo_at, lo_number, hi_at, hi_number)
    ), placed as (
      select k.*, ntile((select greatest(1, count(*) / 64) from keys)::integer) over (order by k.created_at,
        k.number) as piece
      from keys k
    ), pieces as (
      select piece, min(created_at) as at, (array_agg(number order by created_at, number))[1] as number,
        count(*) as size
      from placed group by piece
    )
    select list.id, 0, case when piece = 1 then lo_at else at end,
      case when piece = 1 then lo_number else number end, lead(at, 1, hi_at) over w,
      lead(number, 1, hi_number) over w, size, size
    from pieces window w as (order by piece);

  for upper in 1..2 loop
    select * into above from card_nodes n
      where n.list_id = list.id and n.level = upper and (n.first_at, n.first_number) <= (lo_at, lo_number)
      order by n.first_at desc, n.first_number desc limit 1;
    select count(*) into below from card_nodes n where n.list_id = list.id and n.level = upper - 1
      and (n.first_at, n.first_number) >= (coalesce(above.first_at, '-infinity'),
        coalesce(above.first_number, 0))
      and (n.first_at, n.first_number) < (coalesce(above.upto_at, 'infinity'),
        coalesce(above.upto_number, 0));
    if below <= 64 then
      update card_nodes n set size = below
        where n.list_id = list.id and n.level = upper
          and (n.first_at, n.first_number) = (above.first_at, above.first_number);
      exit;
    end if;
    delete from card_nodes n
      where n.list_id = list.id and n.level = upper
        and (n.first_at, n.first_number) = (above.first_at, above.first_number);
    insert into card_nodes (list_id, level, first_at, first_number, upto_at, upto_number, size, members)
      with placed as (
        select n.*, row_number() over w as place, ntile(below / 32) over w as piece
        from card_nodes n where n.list_id = list.id and n.level = upper - 1
          and (n.first_at, n.first_number) >= (coalesce(above.first_at, '-infinity'),
            coalesce(above.first_number, 0))
          and (n.first_at, n.first_number) < (coalesce(above.upto_at, 'infinity'),
            coalesce(above.upto_number, 0))
        window w as (order by n.first_at, n.first_number)
      )
      select list.id, upper, (array_agg(first_at order by place))[1],
        (array_agg(first_number order by place))[1], (array_agg(upto_at order by place desc))[1],
        (array_agg(upto_number order by place desc))[1], count(*), sum(members)
      from placed group by piece;
  end loop;
end $$;
