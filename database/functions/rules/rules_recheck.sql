-- Returns what the published rules say about a withdrawal that is about to be signed: null if it may be signed,
-- `approval` if approvals are missing, else why it is denied.
-- Called by: `src/features/payouts/queries/pending.ts`.
-- Locks: nothing. A payout that is being signed while rules are published is still paid.
-- Costs: one row by index without rules; else its verdict by primary key, `rules_matching` and `rules_judge`.
create or replace function rules_recheck(of_withdrawal uuid) returns text language plpgsql stable as $$
declare
  current_revision integer := (select s.revision from rule_sets s where s.is_current and s.has_rules);
  w withdrawals;
  made rule_verdicts;
  said record;
begin
  if current_revision is null then
    return null;
  end if;
  select * into w from withdrawals o where o.id = of_withdrawal;
  select * into made from rule_verdicts v where v.withdrawal_id = w.id;
  select * into said from rules_judge(w, array(select m from rules_matching(w, current_revision) m), '', made.counters, made.ats);
  return case said.verdict when 'allow' then null when 'approve' then 'approval'
    else coalesce('denied by the rule “' || said.rule || '”', 'denied: no rule allows it') end;
end $$;
