-- By triggers, so that workers of the release before keep the totals too. Only the job that folds counts writes here.
create or replace function withdrawal_counts_add_inserted() returns trigger language plpgsql as $$
begin
  insert into withdrawal_totals as t (status, count)
    select status, sum(count) from added group by status order by status
    on conflict (status) do update set count = t.count + excluded.count;
  return null;
end $$;
