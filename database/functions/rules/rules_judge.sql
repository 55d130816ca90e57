-- Returns what the matching rules say about a counted withdrawal. Deny wins over approve, approve over allow;
-- if no rule matches, it is denied. For each selection there is the counter, when it was counted there, and
-- the total with its `units`; a sum is that of the window that ends there, without payments that failed.
-- `is_by_sum`: the denial ends when earlier payments fail.
-- Called by: `rules_admit`, `rules_ruling`.
-- Locks: nothing; `rules_admit` holds the counters.
-- Costs: for each matching rule with a sum, one row by primary key, and the failed payments of the window. A
-- loop, because one statement for all rules takes longer to start than these look-ups.
create or replace function rules_judge(matching rules[], units numeric, selections text[], counters bigint[],
  ats timestamptz[], totals numeric[], out verdict text, out rule text, out is_by_sum boolean,
  out needs jsonb) language plpgsql stable as $$
declare
  one rules;
  n integer;
  spent numeric;
  is_allowed boolean := false;
begin
  is_by_sum := false;
  needs := '[]';
  foreach one in array matching loop
    if one.selection is not null then
      n := array_position(selections, one.selection);
      spent := totals[n]
        - coalesce((select s.through - s.amount from rule_spends s where s.counter_id = counters[n]
            and s.at > ats[n] - one.sum_window and s.at <= ats[n] order by s.at limit 1), totals[n] - units)
        - coalesce((select sum(r.amount) from rule_returns r where r.counter_id = counters[n]
            and r.at > ats[n] - one.sum_window and r.at <= ats[n]), 0);
      is_by_sum := true;
      continue when spent <= one.sum_over or spent > one.sum_up_to;
    end if;
    if one.verdict = 'deny' then
      verdict := 'deny';
      rule := one.name;
      is_by_sum := one.selection is not null;
      needs := '[]';
      return;
    end if;
    is_allowed := true;
    if one.verdict = 'approve' then
      needs := needs || jsonb_build_object('rule', one.name, 'count', one.approvals, 'role',
        one.approver_role);
    end if;
  end loop;
  -- Without a rule that denies, it is denied because an allowance is used up, or because no rule matches.
  verdict := case when not is_allowed then 'deny' when needs = '[]' then 'allow' else 'approve' end;
end $$;
