-- Finds a user's transactions in a window whose merchant's name contains `words`, in no order. If more than
-- `most` match and the window has more than `most`, only its newest `most` are searched; a row without an id
-- then has in `searched_from` where the search ended. Finds them by trigram, as `card_search` does, if one is
-- rare: to read the index for frequent ones took 300 to 900 ms with a million rows.
-- Called by: `src/features/cards/lists/queries/find.ts`.
-- Locks: nothing.
-- Costs: counts up to `most` matches, then reads them; or reads the window's rows, at most `most`.
create or replace function card_find(of_user uuid, words text, start_at timestamptz, end_at timestamptz,
  most integer)
returns table (id text, card_id text, status card_transaction_status, type text, amount bigint,
  created_at timestamptz, number bigint, searched_from timestamptz)
language plpgsql stable rows 100 set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
declare
  folded_words text := card_fold(words);
  pattern text := card_pattern(folded_words);
  frequent text[] := card_frequent_grams();
  from_at timestamptz := coalesce(start_at, '-infinity');
  upto_at timestamptz := coalesce(end_at, 'infinity');
  -- Where the newest `most` begin; null if the window has no more.
  place record;
  way text;
  matches bigint;
begin
  select * into place from card_locate(of_user, 'transactions', null, start_at, end_at, most);
  way := case
    when place.total <= most / 20 or not exists (
      select from (select substr(folded_words, n, 3) as gram
        from generate_series(1, length(folded_words) - 2) n) g
      where g.gram ~ '^\w{3}$' and g.gram <> all (frequent)) then 'list'
    when (select l.size from card_lists l where l.id = place.list_id)
      > (select nullif(c.reltuples, -1) / 10 from pg_class c where c.oid = 'card_transactions'::regclass)
        then 'look'
    else 'key' end;
  -- Up to one more than may be read.
  select count(*) into matches from (
    (select from card_transactions t where way = 'key' and t.user_id = of_user and t.folded like pattern
      limit most + 1)
    union all
    (select from card_transactions t
     where way = 'look' and t.user_id is not distinct from of_user and t.folded like pattern limit most + 1)
  ) m;
  if matches > most then way := 'list'; end if;
  -- The window comes after the search by trigram: with a further condition the planner could read all rows.
  return query
    with found as materialized (
      select t.id, t.card_id, t.status, t.type, t.amount, t.created_at, t.number, t.folded
        from card_transactions t
      where way = 'key' and t.user_id = of_user and t.folded like pattern
      union all
      select t.id, t.card_id, t.status, t.type, t.amount, t.created_at, t.number, t.folded
        from card_transactions t
      where way = 'look' and t.user_id is not distinct from of_user and t.folded like pattern
      union all
      select t.id, t.card_id, t.status, t.type, t.amount, t.created_at, t.number, t.folded
        from card_transactions t
      where way = 'list' and t.list_id = place.list_id and t.created_at between from_at and upto_at
        and (t.created_at, t.number) >= (coalesce(place.upto_at, '-infinity'), coalesce(place.upto_number, 0))
        and strpos(t.folded, folded_words) > 0
    )
    select f.id, f.card_id, f.status, f.type, f.amount, f.created_at, f.number, null::timestamptz from found f
    where f.created_at between from_at and upto_at
      and strpos(split_part(f.folded, chr(31), 1), folded_words) > 0
    union all
    select null, null, null, null, null, null, null, place.upto_at where way = 'list'
      and place.upto_at is not null;
end $$;
