-- Returns what the matching rules say about a counted withdrawal. Deny wins over approve, approve over allow; if
-- no rule matches, it is denied. For each selection there is the counter, when it was counted there, and the
-- total with its `units`; a sum is that of the window that ends there, without payments that failed.
-- `is_by_sum`: the denial ends when earlier payments fail.
-- Called by: `rules_admit`, `rules_ruling`.
-- Locks: nothing; `rules_admit` holds the counters.
-- Costs: for each matching rule with a sum, one row by primary key, and the failed payments of the window.
create or replace function rules_judge(matching rules[], units numeric, selections text[], counters bigint[], ats timestamptz[],
  totals numeric[], out verdict text, out rule text, out is_by_sum boolean, out needs jsonb) language plpgsql stable as $$
begin
  -- In one statement: its start takes longer than a look-up.
  select case when bool_or(j.verdict = 'deny') then 'deny' when bool_or(j.verdict = 'approve') then 'approve'
      when bool_or(j.verdict = 'allow') then 'allow' else 'deny' end,
    min(j.name) filter (where j.is_first_denial), coalesce(bool_or(j.is_first_denial and j.has_sum), false),
    coalesce(jsonb_agg(jsonb_build_object('rule', j.name, 'count', j.approvals, 'role', j.approver_role) order by j.place)
      filter (where j.verdict = 'approve'), '[]')
    into verdict, rule, is_by_sum, needs
  from (
    select m.verdict, m.name, m.place, m.approvals, m.approver_role, m.selection is not null as has_sum,
      m.verdict = 'deny' and row_number() over (partition by m.verdict order by m.place) = 1 as is_first_denial
    from unnest(matching) m
    left join unnest(selections, counters, ats, totals) as c (selection, id, at, total) on c.selection = m.selection
    left join lateral (
      select c.total
        - coalesce((select s.through - s.amount from rule_spends s where s.counter_id = c.id and s.at > c.at - m.sum_window
           and s.at <= c.at order by s.at limit 1), c.total - units)
        - coalesce((select sum(r.amount) from rule_returns r where r.counter_id = c.id and r.at > c.at - m.sum_window
           and r.at <= c.at), 0) as sum
      where m.selection is not null) spent on true
    where m.selection is null or ((spent.sum > m.sum_over) is not false and (spent.sum <= m.sum_up_to) is not false)
  ) j;
  -- An allowance that is used up.
  if verdict = 'deny' and rule is null then
    is_by_sum := exists (select from unnest(matching) m where m.selection is not null);
  end if;
end $$;
