create or replace function card_transactions_count() returns trigger language plpgsql as $$
declare
  news record;
begin
  for news in
    select a.list_id, array_agg(a.created_at) as ats, array_agg(a.number) as numbers from added a group by a.list_id order by 1
  loop
    perform card_count(news.list_id, news.ats, news.numbers);
  end loop;
  return null;
end $$;
