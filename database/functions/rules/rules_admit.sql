-- Counts withdrawals in every counter that their matching rules sum, and returns what the rules say about
-- each, with those before it counted. The caller undoes the counts of those that are denied. In another
-- `space`, the counters of published rules are left alone.
-- Called by: `withdrawals_apply_rules`, `rules_replay`.
-- Locks: the counters, in order of selection and subject, until the transaction ends: payments of one counter
-- commit one after another, unless they share a transaction.
-- Costs: one upsert and one insert for all; for each withdrawal `rules_matching` and `rules_judge`.
create or replace function rules_admit(ws withdrawals[], of_revision integer, space text, at timestamptz)
returns table (withdrawal_id uuid, verdict text, rule text, needs jsonb, counters bigint[], ats timestamptz[])
  language plpgsql as $$
declare
  many integer := cardinality(ws);
  one rules;
  units numeric[];
  -- The rules of all withdrawals one after another, and so the sums; these are where those of each end.
  matching rules[] := '{}';
  ends integer[] := '{0}';
  places integer[] := '{}';
  summed text[] := '{}';
  subjects text[] := '{}';
  sum_ends integer[] := '{0}';
  ids bigint[];
  counted_ats timestamptz[];
  totals numeric[];
begin
  for n in 1..many loop
    units[n] := rules_units(ws[n].amount, ws[n].decimals);
    matching := matching || array(select m from rules_matching(ws[n], units[n], of_revision) m);
    ends := ends || cardinality(matching);
    foreach one in array matching[ends[n] + 1:] loop
      if one.selection is not null and one.selection <> all (summed[sum_ends[n] + 1:]) then
        places := places || n;
        summed := summed || one.selection;
        subjects := subjects || rules_subject(ws[n], one.sum_per);
      end if;
    end loop;
    sum_ends := sum_ends || cardinality(summed);
  end loop;
  if summed <> '{}' then
    with asked as (
      select a.place, space || a.selection as selection, a.subject, units[a.place] as amount, a.nth
      from unnest(places, summed, subjects) with ordinality as a (place, selection, subject, nth)),
    counted as (
      insert into rule_counters as c (selection, subject, total, last_at)
      select a.selection, a.subject, sum(a.amount),
        coalesce(at, clock_timestamp()) + (many - 1) * interval '1 microsecond'
        from asked a group by 1, 2 order by 1, 2
      -- Evaluated once the row is locked: instants of one counter only grow, and each of these withdrawals
      -- has one.
      on conflict (selection, subject) do update set total = c.total + excluded.total,
        last_at = greatest(coalesce(at, clock_timestamp()), c.last_at + interval '1 microsecond')
          + (many - 1) * interval '1 microsecond'
      returning c.id, c.selection, c.subject, c.total, c.last_at),
    spends as (
      select a.nth, c.id, a.amount, c.last_at - (many - a.place) * interval '1 microsecond' as at,
        c.total - coalesce(sum(a.amount) over (partition by c.id order by a.place desc
          rows between unbounded preceding and 1 preceding), 0) as through
      from counted c join asked a on a.selection = c.selection and a.subject = c.subject),
    spent as (
      insert into rule_spends (counter_id, at, amount, through) select s.id, s.at, s.amount, s.through
        from spends s)
    select array_agg(s.id order by s.nth), array_agg(s.at order by s.nth), array_agg(s.through order by s.nth)
      into ids, counted_ats, totals from spends s;
  end if;
  -- Statements after that one, so that they see what others committed while it waited for the locks.
  for n in 1..many loop
    withdrawal_id := ws[n].id;
    counters := coalesce(ids[sum_ends[n] + 1:sum_ends[n + 1]], '{}');
    ats := coalesce(counted_ats[sum_ends[n] + 1:sum_ends[n + 1]], '{}');
    select j.verdict, j.rule, j.needs into verdict, rule, needs
      from rules_judge(matching[ends[n] + 1:ends[n + 1]], units[n], summed[sum_ends[n] + 1:sum_ends[n + 1]],
      counters, ats, totals[sum_ends[n] + 1:sum_ends[n + 1]]) j;
    return next;
  end loop;
end $$;
