-- Counts the rows of a list before a place: nodes level by level, then the rest in the index. One statement
-- for all levels, because each statement costs as much as what it reads here.
-- Called by: `card_locate`.
-- Locks: nothing.
-- Costs: the nodes of the top level before the place, on both lower levels those below one node, and the rows
-- of one node; in a list of at most 128 rows, the rows before the place.
create or replace function card_rank(list card_lists, at timestamptz, at_number bigint) returns bigint
language plpgsql stable as $$
declare
  passed bigint := 0;
  rest bigint;
  lo_at timestamptz := '-infinity';
  lo_number bigint := 0;
begin
  if list.size > 128 then
    select coalesce((select sum(n.members) from card_nodes n where n.list_id = list.id and n.level = 2
          and (n.first_at, n.first_number) < (c.at, c.number)), 0)
        + coalesce((select sum(n.members) from card_nodes n where n.list_id = list.id and n.level = 1
          and (n.first_at, n.first_number) >= (coalesce(c.at, '-infinity'), coalesce(c.number, 0))
          and (n.first_at, n.first_number) < (b.at, b.number)), 0)
        + coalesce((select sum(n.members) from card_nodes n where n.list_id = list.id and n.level = 0
          and (n.first_at, n.first_number) >= (coalesce(b.at, '-infinity'), coalesce(b.number, 0))
          and (n.first_at, n.first_number) < (a.at, a.number)), 0),
        a.at, a.number
      into passed, lo_at, lo_number
      from (
        select n.first_at as at, n.first_number as number from card_nodes n
        where n.list_id = list.id and n.level = 0
          and (n.first_at, n.first_number) <= (card_rank.at, at_number)
        order by n.first_at desc, n.first_number desc limit 1
      ) a left join lateral (
        select n.first_at as at, n.first_number as number from card_nodes n
        where n.list_id = list.id and n.level = 1 and (n.first_at, n.first_number) <= (a.at, a.number)
        order by n.first_at desc, n.first_number desc limit 1
      ) b on true left join lateral (
        select n.first_at as at, n.first_number as number from card_nodes n
        where n.list_id = list.id and n.level = 2 and (n.first_at, n.first_number) <= (a.at, a.number)
        order by n.first_at desc, n.first_number desc limit 1
      ) c on true;
  end if;
  if list.kind = 'transactions' then
    select count(*) into rest from card_transactions t where t.list_id = list.id
      and (t.created_at, t.number) >= (lo_at, lo_number) and (t.created_at, t.number) < (at, at_number);
  elsif list.card_issuer_user_id is null then
    select count(*) into rest from card_movements m where m.user_id = list.user_id
      and (m.created_at, m.number) >= (lo_at, lo_number) and (m.created_at, m.number) < (at, at_number);
  else
    select count(*) into rest from card_movements m where m.card_issuer_user_id = list.card_issuer_user_id
      and (m.created_at, m.number) >= (lo_at, lo_number) and (m.created_at, m.number) < (at, at_number);
  end if;
  return passed + rest;
end $$;
