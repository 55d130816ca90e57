-- Adds new withdrawals to the unsettled records. A withdrawal is one from its creation until it completes,
-- whichever code writes it.
-- Called by: trigger `ledger_note_new_withdrawals` on `withdrawals`, after each insert statement.
-- Locks: the users' unsettled lists, in order of id, then nodes that count a record before the tail.
-- Costs: for each user, one upsert of the list; for each withdrawal, one insert; `ledger_cut_tail` if a tail
-- has 128; for a time before the tail, also `ledger_count` and a count of the tail.
create or replace function ledger_note_new_withdrawals() returns trigger language plpgsql as $$
declare
  news record;
  list ledger_lists;
begin
  if (select count(distinct a.user_id) from added a) > 1 then
    perform ledger_lock_lists(array(select distinct a.user_id from added a), false);
  end if;
  for news in select a.user_id, count(*) as count, min(a.created_at) as first_at from added a group by a.user_id order by 1 loop
    insert into ledger_lists as l (user_id, is_settled, last_number, sells, tail_size)
      values (news.user_id, false, news.count, news.count, news.count)
      on conflict (user_id, is_settled) do update set last_number = l.last_number + news.count, sells = l.sells + news.count,
        tail_size = l.tail_size + news.count
      returning l.* into list;
    insert into ledger_unsettled (list_id, number, transaction_at, type, operation_id, withdrawal_id)
      select list.id, list.last_number - news.count + row_number() over (order by a.id), a.created_at, 'sell', a.id::text, a.id
      from added a where a.user_id = news.user_id;
    -- By a clock that is behind that of another process.
    if news.first_at < list.tail_at then
      perform ledger_count(list.id, array_agg(u.type), array_agg(u.transaction_at), array_agg(u.number), 1)
        from ledger_unsettled u
        where u.list_id = list.id and u.number > list.last_number - news.count and u.transaction_at < list.tail_at;
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
