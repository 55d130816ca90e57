-- Counts new transactions in the lists of their users.
-- Called by: trigger `card_transactions_count` on `card_transactions`, after each insert statement.
-- Locks: the rows of the lists, in order of id (`card_count`).
-- Costs: reads the added rows; one `card_count` for each list.
create or replace function card_transactions_count() returns trigger language plpgsql as $$
declare
  news record;
begin
  for news in
    select a.list_id, array_agg(a.created_at) as ats, array_agg(a.number) as numbers from added a
      group by a.list_id order by 1
  loop
    perform card_count(news.list_id, news.ats, news.numbers);
  end loop;
  return null;
end $$;
