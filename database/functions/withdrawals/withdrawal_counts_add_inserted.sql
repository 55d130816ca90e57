-- Adds inserted counts to the totals. A trigger does it, so that workers of an older release keep the totals
-- too. Only the job that folds counts writes to `withdrawal_counts`.
-- Called by: trigger `withdrawal_counts_add_inserted` on `withdrawal_counts`, after each insert statement.
-- Locks: the totals of the inserted statuses, in order of status.
-- Costs: reads the inserted rows; one upsert for each status.
create or replace function withdrawal_counts_add_inserted() returns trigger language plpgsql as $$
begin
  insert into withdrawal_totals as t (status, count)
    select status, sum(count) from added group by status order by status
    on conflict (status) do update set count = t.count + excluded.count;
  return null;
end $$;
