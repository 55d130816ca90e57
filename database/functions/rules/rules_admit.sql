-- Counts a withdrawal in every counter that its matching rules sum, then judges it. The caller undoes the counts
-- if the verdict is `deny`. In another `space`, the counters of published rules are left alone.
-- Called by: `withdrawals_apply_rules`, `rules_replay`.
-- Locks: the counters, in order of selection, until the transaction ends: payments of one counter commit one
-- after another.
-- Costs: `rules_matching`, `rules_judge`; for each selection one upsert and one insert.
create or replace function rules_admit(w withdrawals, of_revision integer, space text, at timestamptz,
  out verdict text, out rule text, out needs jsonb, out counters bigint[], out ats timestamptz[]) language plpgsql as $$
declare
  units numeric := rules_units(w.amount, w.decimals);
  matching rules[] := array(select m from rules_matching(w, units, of_revision) m);
  one rules;
  summed text[] := '{}';
  subjects text[] := '{}';
  selections text[];
  totals numeric[];
begin
  counters := '{}';
  ats := '{}';
  foreach one in array matching loop
    if one.selection is not null and one.selection <> all (summed) then
      summed := summed || one.selection;
      subjects := subjects || rules_subject(w, one.sum_per);
    end if;
  end loop;
  if summed <> '{}' then
    with counted as (
      insert into rule_counters as c (selection, subject, total, last_at)
      select space || m.selection, m.subject, units, coalesce(at, clock_timestamp())
        from (select * from unnest(summed, subjects) as u (selection, subject) order by 1) m
      -- Evaluated once the row is locked: instants of one counter only grow.
      on conflict (selection, subject) do update set total = c.total + excluded.total,
        last_at = greatest(coalesce(at, clock_timestamp()), c.last_at + interval '1 microsecond')
      returning c.id, substr(c.selection, length(space) + 1) as selection, c.total, c.last_at),
    spent as (
      insert into rule_spends (counter_id, at, amount, through) select n.id, n.last_at, units, n.total from counted n)
    select array_agg(n.id), array_agg(n.last_at), array_agg(n.selection), array_agg(n.total)
      into counters, ats, selections, totals from counted n;
  end if;
  -- A statement after that one, so that it sees what others committed while this waited for the locks.
  select j.verdict, j.rule, j.needs into verdict, rule, needs from rules_judge(matching, units, selections, counters, ats, totals) j;
end $$;
