-- Returns the trigrams that more than 2 % of the transactions have, according to the planner's statistics.
-- Called by: `card_find`, `card_pattern`.
-- Locks: nothing.
-- Costs: reads the statistics `card_transactions_grams`.
create or replace function card_frequent_grams() returns text[]
language sql stable as $$
  select array(
    select e.gram from pg_stats_ext_exprs s,
      unnest(s.most_common_elems::text::text[], s.most_common_elem_freqs) as e (gram, share)
    where s.statistics_name = 'card_transactions_grams' and s.tablename = 'card_transactions'
      and e.gram is not null and e.share > 0.02)
$$;
