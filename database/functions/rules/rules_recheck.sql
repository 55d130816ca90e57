-- Returns what the published rules say about a withdrawal that is about to be signed: null if it may be signed,
-- `approval` if approvals are missing, else why it is denied. Its sums are those of the instant when it was
-- counted; in a counter of rules that were published since, those of now.
-- Called by: `src/features/payouts/queries/pending.ts`.
-- Locks: nothing. A payout that is being signed while rules are published is still paid.
-- Costs: one row by index without rules; else its verdict by primary key, `rules_matching`, `rules_judge`, and two
-- rows by index for each selection.
create or replace function rules_recheck(of_withdrawal uuid) returns text language plpgsql stable as $$
declare
  current_revision integer := (select s.revision from rule_sets s where s.is_current and s.has_rules);
  w withdrawals;
  made rule_verdicts;
  matching rules[];
  said record;
begin
  if current_revision is null then
    return null;
  end if;
  select * into w from withdrawals o where o.id = of_withdrawal;
  select * into made from rule_verdicts v where v.withdrawal_id = w.id;
  matching := array(select m from rules_matching(w, rules_units(w.amount, w.decimals), current_revision) m);
  with counted as (
    select m.selection, c.id, coalesce(made.ats[array_position(made.counters, c.id)], clock_timestamp()) as at
    from (select distinct r.selection, r.sum_per from unnest(matching) r where r.selection is not null) m
    join rule_counters c on c.selection = m.selection and c.subject = rules_subject(w, m.sum_per))
  select j.* into said from (
    select array_agg(n.selection) as selections, array_agg(n.id) as counters, array_agg(n.at) as ats,
      array_agg((select s.through from rule_spends s where s.counter_id = n.id and s.at <= n.at order by s.at desc limit 1)) as totals
    from counted n) c
    cross join lateral rules_judge(matching, c.selections, c.counters, c.ats, c.totals) j;
  return case said.verdict when 'allow' then null when 'approve' then 'approval'
    else coalesce('denied by the rule “' || said.rule || '”', 'denied: no rule allows it') end;
end $$;
