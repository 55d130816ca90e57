-- Counts a user's transactions in a window whose merchant or description contains `words`; returns a page of
-- ids, newest first (one row without an id if empty). Finds them by trigram, with the user as a key unless
-- over 10 % of all are theirs. A further condition there could make the planner read all of them.
-- Called by: `src/features/cards/lists/queries/transactions.ts`.
-- Locks: nothing.
-- Costs: reads each match, in or outside the window; without a trigram, all of the user's rows in the window.
create or replace function card_search(of_user uuid, words text, start_at timestamptz, end_at timestamptz,
  skip bigint, size bigint)
returns table (total bigint, id text)
language plpgsql stable rows 10 set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
declare
  list card_lists;
  folded_words text := card_fold(words);
  pattern text := card_pattern(folded_words);
  from_at timestamptz := coalesce(start_at, '-infinity');
  upto_at timestamptz := coalesce(end_at, 'infinity');
  way text;
begin
  select * into list from card_lists l where l.user_id = of_user and l.kind = 'transactions'
    and l.card_issuer_user_id is null;
  way := case
    when show_trgm(regexp_replace(folded_words, '\y\w{1,2}\y', ' ', 'g')) = '{}' then 'list'
    when list.size > (select nullif(c.reltuples, -1) / 10 from pg_class c
      where c.oid = 'card_transactions'::regclass) then 'look'
    else 'key' end;
  return query
    with found as materialized (
      select t.created_at, t.number, t.id from card_transactions t
      where way = 'key' and t.user_id = of_user and t.folded like pattern
        and strpos(t.folded, folded_words) > 0
      union all
      select t.created_at, t.number, t.id from card_transactions t
      where way = 'look' and t.user_id is not distinct from of_user and t.folded like pattern
        and strpos(t.folded, folded_words) > 0
      union all
      select t.created_at, t.number, t.id from card_transactions t
      where way = 'list' and t.list_id = list.id and t.created_at between from_at and upto_at
        and strpos(t.folded, folded_words) > 0
    )
    select c.total, p.id
    from (select count(*) as total from found f where f.created_at between from_at and upto_at) c left join (
      select f.id from found f where f.created_at between from_at and upto_at
      order by f.created_at desc, f.number desc offset skip limit size) p on true;
end $$;
