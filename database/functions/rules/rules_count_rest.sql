-- Counts the payments that came while a publication counted those before, and takes out what failed
-- meanwhile.
-- Called by: `src/features/rules/queries/past.ts`, with the advisory lock `rules` held exclusively.
-- Locks: as `rules_count_page`.
-- Costs: reads the withdrawals of the last 30 days, about a second for a million; `rules_count_page` for new
-- ones.
create or replace function rules_count_rest(of_revision integer, selections text[]) returns void
  language plpgsql as $$
begin
  perform rules_count_page(of_revision, selections, array(
    select w.id from withdrawals w
    where (w.status in ('queued', 'pending', 'processing')
        or w.status = 'completed' and w.id > uuidv7(interval '-31 days')
        and w.created_at > now() - interval '30 days')
      and not exists (select from rules_examined e where e.id = w.id)
    order by w.id));
  insert into rule_returns (counter_id, at, amount)
    select c.counter_id, c.at, c.amount from rules_counted c join withdrawals w on w.id = c.withdrawal_id
      where w.status = 'failed';
end $$;
