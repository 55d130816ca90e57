-- Counts new movements in the list of their user and in that of their account.
-- Called by: trigger `card_movements_count` on `card_movements`, after each insert statement.
-- Locks: the rows of the lists, in order of id (`card_count`).
-- Costs: reads the added rows; one `card_count` for each list.
create or replace function card_movements_count() returns trigger language plpgsql as $$
declare
  news record;
begin
  for news in
    select l.id, array_agg(a.created_at) as ats, array_agg(a.number) as numbers
    from added a join card_lists l on l.user_id = a.user_id and l.kind = 'movements'
      and coalesce(l.card_issuer_user_id, a.card_issuer_user_id) = a.card_issuer_user_id
    group by l.id order by 1
  loop
    perform card_count(news.id, news.ats, news.numbers);
  end loop;
  return null;
end $$;
