-- Fills the counters of selections that a new set brings with the payments of the last 30 days, and with those that
-- are not final, so that a limit holds from its publication on. The address book, and who was paid before, are as they are now.
-- Called by: `src/features/rules/queries/sets.ts`, with the advisory lock `rules` held exclusively.
-- Locks: the counters of these selections, which no other session uses yet.
-- Costs: reads the withdrawals of the last 30 days; one insert for each that matches, in each selection.
create or replace function rules_count_past(of_revision integer, selections text[]) returns void language plpgsql as $$
declare
  gone bigint[] := array(select c.id from rule_counters c where c.selection = any (selections));
begin
  delete from rule_spends s where s.counter_id = any (gone);
  delete from rule_returns r where r.counter_id = any (gone);
  delete from rule_counters c where c.id = any (gone);
  create temporary table past on commit drop as
    select w.id, w.status, m.selection, rules_subject(w, m.sum_per) as subject, rules_units(w.amount, w.decimals) as amount,
      -- Unlike for each payment of a counter.
      w.created_at + row_number() over counter * interval '1 microsecond' as at,
      sum(rules_units(w.amount, w.decimals)) over counter as through
    from withdrawals w
    cross join lateral (select distinct r.selection, r.sum_per from rules_matching(w, rules_units(w.amount, w.decimals), of_revision) r
      where r.selection = any (selections)) m
    where w.status <> 'failed' and (w.status in ('queued', 'pending', 'processing')
      or w.id > uuidv7(interval '-31 days') and w.created_at > now() - interval '30 days')
    window counter as (partition by m.selection, rules_subject(w, m.sum_per) order by w.created_at, w.id);
  insert into rule_counters (selection, subject, total, last_at)
    select selection, subject, max(through), max(at) from past group by selection, subject;
  insert into rule_spends (counter_id, at, amount, through)
    select c.id, p.at, p.amount, p.through from past p join rule_counters c using (selection, subject);
  -- Those that may still fail must be found again then.
  insert into rule_verdicts as v (withdrawal_id, revision, verdict, needs, counters, ats, judged_at)
    select p.id, of_revision, 'allow', '[]', array_agg(c.id order by c.id), array_agg(p.at order by c.id), now()
    from past p join rule_counters c using (selection, subject) where p.status <> 'completed' group by p.id
    -- Without those of earlier publications, else a withdrawal that waits would collect them.
    on conflict (withdrawal_id) do update set
      counters = array(select n.id from unnest(v.counters) with ordinality n (id, place)
        where n.id <> all (gone) order by n.place) || excluded.counters,
      ats = array(select n.at from unnest(v.counters, v.ats) with ordinality n (id, at, place)
        where n.id <> all (gone) order by n.place) || excluded.ats;
  drop table past;
end $$;
