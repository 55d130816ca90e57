-- Returns what the published rules say about a withdrawal that is about to be signed. `ruling` is null if it
-- may be signed, `approved` if it may be signed once its approvals are verified, `approval` if some are
-- missing, else why it is denied. Its sums are those of the instant when it was counted; where it was not
-- counted, it is added to those of now. Approvals that were needed at its creation stay needed under the same
-- rules.
-- Called by: `src/features/payouts/queries/pending.ts`, `src/features/rules/approvals/queries.ts`,
-- `src/features/approvals/payments/queries.ts`.
-- Locks: nothing. A payout that is being signed while rules are published is still paid.
-- Costs: one row by index without rules; else its verdict by primary key, `rules_matching`, `rules_judge`,
-- `rules_approvers`, and two rows by index for each selection.
create or replace function rules_ruling(of_withdrawal uuid, out ruling text, out is_by_sum boolean,
  out revision integer, out needs jsonb) language plpgsql stable as $$
declare
  w withdrawals;
  made rule_verdicts;
  matching rules[];
  units numeric;
  said record;
begin
  select s.revision into revision from rule_sets s where s.is_current and s.has_rules;
  if revision is null then
    return;
  end if;
  select * into w from withdrawals o where o.id = of_withdrawal;
  select * into made from rule_verdicts v where v.withdrawal_id = w.id;
  units := rules_units(w.amount, w.decimals);
  matching := array(select m from rules_matching(w, units, revision) m);
  with counted as (
    select m.selection, c.id, own.at, own.through
    from (select distinct r.selection, r.sum_per from unnest(matching) r where r.selection is not null) m
    left join rule_counters c on c.selection = m.selection and c.subject = rules_subject(w, m.sum_per)
    left join rule_spends own on own.counter_id = c.id
      and own.at = made.ats[array_position(made.counters, c.id)])
  select j.* into said from (
    select array_agg(n.selection) as selections, array_agg(n.id) as counters,
      array_agg(coalesce(n.at, clock_timestamp())) as ats,
      array_agg(coalesce(n.through,
      units + coalesce((select s.through from rule_spends s where s.counter_id = n.id
        order by s.at desc limit 1), 0))) as totals
    from counted n) c
    cross join lateral rules_judge(matching, units, c.selections, c.counters, c.ats, c.totals) j;
  is_by_sum := said.is_by_sum;
  needs := said.needs || case when made.revision = rules_ruling.revision then made.needs else '[]' end;
  ruling := case
    when said.verdict = 'deny' then coalesce('denied by the rule “' || said.rule || '”',
      'denied: no rule allows it')
    when needs = '[]' then null
    when exists (select from jsonb_to_recordset(needs) as n (count integer, role text)
      where n.count > (select count(*) from rules_approvers(w.id, rules_ruling.revision) a
        where n.role = any (a.roles))) then 'approval'
    else 'approved' end;
end $$;
