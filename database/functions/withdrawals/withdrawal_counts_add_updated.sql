-- Adds the differences of updated counts to the totals.
-- Called by: trigger `withdrawal_counts_add_updated` on `withdrawal_counts`, after each update statement.
-- Locks: the totals of the updated statuses, in order of status.
-- Costs: reads the old and the new rows; one upsert for each status.
create or replace function withdrawal_counts_add_updated() returns trigger language plpgsql as $$
begin
  insert into withdrawal_totals as t (status, count)
    select status, sum(count) from (
      select status, count from after_rows union all select status, -count from before_rows
    ) changed group by status order by status
    on conflict (status) do update set count = t.count + excluded.count;
  return null;
end $$;
