-- Returns the sum of a counter's payments in the window that ends at `until`, without those that failed.
-- Called by: `src/features/rules/queries/limits.ts`.
-- Locks: nothing; a caller that decides by it holds the counter's row.
-- Costs: two rows by primary key, and the payments of the window that failed.
create or replace function rules_sum(of_counter bigint, since timestamptz, until timestamptz) returns numeric
language sql stable as $$
  select coalesce(
    (select s.through from rule_spends s where s.counter_id = of_counter and s.at > since and s.at <= until
      order by s.at desc limit 1)
    - (select s.through - s.amount from rule_spends s where s.counter_id = of_counter and s.at > since
       and s.at <= until
       order by s.at limit 1)
    - coalesce((select sum(r.amount) from rule_returns r where r.counter_id = of_counter and r.at > since
      and r.at <= until), 0), 0)
$$;
