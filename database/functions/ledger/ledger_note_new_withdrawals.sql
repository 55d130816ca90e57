-- Adds new withdrawals to the unsettled records. A withdrawal is one from its creation until it completes,
-- whichever code writes it.
-- Called by: trigger `ledger_note_new_withdrawals` on `withdrawals`, after each insert statement.
-- Locks: the users' unsettled lists, in order of id, then nodes that count a record before the tail.
-- Costs: for each user, one upsert of the list; for each withdrawal, one insert; `ledger_cut_tail` if a tail
-- has 128; for a time before the tail, also `ledger_count` and a count of the tail.
create or replace function ledger_note_new_withdrawals() returns trigger language plpgsql as $$
declare
  users uuid[] := array(select distinct a.user_id from added a);
  unusual bigint[];
  list ledger_lists;
  first_new bigint;
begin
  if cardinality(users) > 1 then
    perform ledger_lock_lists(users, false);
  end if;
  with news as (select a.user_id, count(*) as count, min(a.created_at) as first_at from added a
    group by a.user_id),
  lists as (
    insert into ledger_lists as l (user_id, is_settled, last_number, sells, tail_size)
      select n.user_id, false, n.count, n.count, n.count from news n order by n.user_id
      on conflict (user_id, is_settled) do update set last_number = l.last_number + excluded.last_number,
        sells = l.sells + excluded.sells, tail_size = l.tail_size + excluded.tail_size
      returning l.id, l.user_id, l.last_number, l.tail_size, l.tail_at),
  noted as (
    insert into ledger_unsettled (list_id, number, transaction_at, type, operation_id, withdrawal_id)
      select l.id, l.last_number + 1 - row_number() over (partition by a.user_id order by a.id desc),
        a.created_at, 'sell', a.id::text, a.id
      from added a join lists l on l.user_id = a.user_id)
  select array_agg(l.id) into unusual from lists l join news n on n.user_id = l.user_id
    where n.first_at < l.tail_at or l.tail_size >= 128;
  if unusual is null then
    return null;
  end if;
  for list in select l.* from ledger_lists l where l.id = any (unusual) order by l.id loop
    first_new := list.last_number + 1 - (select count(*) from added a where a.user_id = list.user_id);
    -- By a clock that is behind that of another process.
    if exists (select from added a where a.user_id = list.user_id and a.created_at < list.tail_at) then
      perform ledger_count(list.id, array_agg(u.type), array_agg(u.transaction_at), array_agg(u.number), 1)
        from ledger_unsettled u
        where u.list_id = list.id and u.number >= first_new and u.transaction_at < list.tail_at;
      update ledger_lists l set tail_size = (select count(*) from ledger_unsettled u
          where u.list_id = l.id and (u.transaction_at, u.number) >= (l.tail_at, l.tail_number))
        where l.id = list.id
        returning l.* into list;
    end if;
    if list.tail_size >= 128 then
      perform ledger_cut_tail(list.id);
    end if;
  end loop;
  return null;
end $$;
