-- Returns the number of a list's rows in a window, both ends included, and the place before which the rows
-- after the first `skip` are, newest first; null if there are no rows.
-- Called by: `card_find`, `src/features/cards/lists/queries/movements.ts`,
-- `src/features/cards/lists/queries/transactions.ts`.
-- Locks: nothing.
-- Costs: `card_rank` for each end that is given. Up to a `skip` of 128, `skip` index entries; above that, the
-- nodes of the top level, on both lower levels those below one node, and at most the rows of one node.
create or replace function card_locate(of_user uuid, of_kind card_list_kind, of_account text,
  start_at timestamptz, end_at timestamptz, skip bigint, out list_id bigint, out total bigint,
  out upto_at timestamptz, out upto_number bigint)
language plpgsql stable set plan_cache_mode = force_generic_plan as $$
declare
  list card_lists;
  older bigint := 0;
  newest bigint;
  -- The row that the page begins with is the one with this many up to and including it.
  wanted bigint;
  -- How many to leave out before `hi`.
  rest bigint := skip;
  before bigint := 0;
  lo_at timestamptz := '-infinity';
  lo_number bigint := 0;
  hi_at timestamptz := coalesce(end_at, 'infinity');
  hi_number bigint := 9223372036854775807;
  node record;
begin
  select * into list from card_lists l where l.user_id = of_user and l.kind = of_kind
    and (l.card_issuer_user_id = of_account or of_account is null and l.card_issuer_user_id is null);
  list_id := list.id;
  total := 0;
  if list.id is null then return; end if;
  if start_at is not null then older := card_rank(list, start_at, 0); end if;
  newest := case when end_at is null then list.size else card_rank(list, end_at, 9223372036854775807) end;
  wanted := newest - skip;
  -- A period that ends before it starts is empty.
  total := greatest(0, newest - older);
  if wanted <= older then return; end if;
  -- Near the end of the window there is nothing to find.
  if skip > 128 then
    hi_at := 'infinity';
    for depth in reverse 2..0 loop
      -- The node with the wanted row, by how many there are through each. The upper levels may not be there
      -- yet.
      select * into node from (
        select n.first_at, n.first_number, n.upto_at, n.upto_number, n.members,
          sum(n.members) over (order by n.first_at, n.first_number) as through
        from card_nodes n where n.list_id = list.id and n.level = depth
          and (n.first_at, n.first_number) >= (lo_at, lo_number)
          and (n.first_at, n.first_number) < (hi_at, hi_number)
      ) w where w.through >= wanted - before order by w.first_at, w.first_number limit 1;
      continue when not found;
      rest := before + node.through - wanted;
      before := before + node.through - node.members;
      lo_at := node.first_at;
      lo_number := node.first_number;
      hi_at := node.upto_at;
      hi_number := node.upto_number;
    end loop;
  end if;
  -- The rest is counted off in the index.
  if rest = 0 then
    upto_at := hi_at;
    upto_number := hi_number;
  elsif list.kind = 'transactions' then
    select t.created_at, t.number into strict upto_at, upto_number from card_transactions t
      where t.list_id = list.id and (t.created_at, t.number) < (hi_at, hi_number)
      order by t.created_at desc, t.number desc offset rest - 1 limit 1;
  elsif of_account is null then
    select m.created_at, m.number into strict upto_at, upto_number from card_movements m
      where m.user_id = of_user and (m.created_at, m.number) < (hi_at, hi_number)
      order by m.created_at desc, m.number desc offset rest - 1 limit 1;
  else
    select m.created_at, m.number into strict upto_at, upto_number from card_movements m
      where m.card_issuer_user_id = of_account and (m.created_at, m.number) < (hi_at, hi_number)
      order by m.created_at desc, m.number desc offset rest - 1 limit 1;
  end if;
end $$;
