-- Counts past withdrawals, in order of id, in the counters of selections that a set is about to bring. The
-- address book, and who was paid before, are as they are now. Payments that may still fail get the counters
-- into their verdict, so that they are found then. `rules_examined` and `rules_counted` are temporary tables
-- of the publication: what was read, and what was counted of payments that may still fail.
-- Called by: `src/features/rules/queries/past.ts`, `rules_count_rest`.
-- Locks: the counters of these selections, which no other session uses yet; the verdicts.
-- Costs: for each withdrawal `rules_matching`, and one insert for each selection that it matches.
create or replace function rules_count_page(of_revision integer, selections text[], ids uuid[]) returns void
  language plpgsql as $$
declare
  -- Room for an instant of each.
  room interval := cardinality(ids) * interval '1 microsecond';
begin
  with page as (
    select w.id, w.status, w.created_at, m.selection, rules_subject(w, m.sum_per) as subject,
      rules_units(w.amount, w.decimals) as amount
    from withdrawals w
    cross join lateral (select distinct r.selection, r.sum_per
      from rules_matching(w, rules_units(w.amount, w.decimals), of_revision) r
        where r.selection = any (selections)) m
    where w.id = any (ids) and w.status <> 'failed'),
  counted as (
    insert into rule_counters as c (selection, subject, total, last_at)
    select p.selection, p.subject, sum(p.amount), max(p.created_at) + room from page p group by 1, 2
    on conflict (selection, subject) do update set total = c.total + excluded.total,
      last_at = greatest(c.last_at + room, excluded.last_at)
    returning c.id, c.selection, c.subject, coalesce(old.total, 0) as former, old.last_at as former_at),
  spends as (
    select c.id as counter_id, p.id as withdrawal_id, p.status, p.amount,
      -- Clocks of processes differ, and instants of one counter only grow.
      greatest(max(p.created_at) over so_far, c.former_at) + row_number()
        over so_far * interval '1 microsecond' as at,
      c.former + sum(p.amount) over so_far as through
    from page p join counted c on c.selection = p.selection and c.subject = p.subject
    window so_far as (partition by c.id order by p.id rows unbounded preceding)),
  spent as (
    insert into rule_spends (counter_id, at, amount, through) select s.counter_id, s.at, s.amount, s.through
      from spends s)
  insert into rules_counted (withdrawal_id, counter_id, at, amount)
    select s.withdrawal_id, s.counter_id, s.at, s.amount from spends s where s.status <> 'completed';
  insert into rule_verdicts as v (withdrawal_id, revision, verdict, needs, counters, ats, judged_at)
    select c.withdrawal_id, of_revision, 'allow', '[]', array_agg(c.counter_id order by c.counter_id),
      array_agg(c.at order by c.counter_id), now()
    from rules_counted c where c.withdrawal_id = any (ids) group by c.withdrawal_id
    -- Without those of earlier publications, else a withdrawal that waits would collect them.
    on conflict (withdrawal_id) do update set
      counters = array(select n.id from unnest(v.counters) with ordinality n (id, place)
        where exists (select from rule_counters c where c.id = n.id) order by n.place) || excluded.counters,
      ats = array(select n.at from unnest(v.counters, v.ats) with ordinality n (id, at, place)
        where exists (select from rule_counters c where c.id = n.id) order by n.place) || excluded.ats;
  insert into rules_examined (id) select unnest(ids);
end $$;
