-- Returns what the matching rules say about a counted withdrawal. Deny wins over approve, approve over allow; if
-- no rule matches, it is denied. A sum is that of the window that ends with this payment; in a counter that is
-- not among `counters`, the window ends now.
-- Called by: `rules_admit`, `rules_recheck`.
-- Locks: nothing; `rules_admit` holds the counters.
-- Costs: for each matching rule with a sum, its counter by index and `rules_sum`.
create or replace function rules_judge(w withdrawals, matching rules[], space text, counters bigint[], ats timestamptz[],
  out verdict text, out rule text, out needs jsonb) language plpgsql stable as $$
declare
  one rules;
  counter bigint;
  until timestamptz;
  spent numeric;
begin
  verdict := 'deny';
  needs := '[]';
  foreach one in array matching loop
    if one.selection is not null then
      select c.id into counter from rule_counters c
        where c.selection = space || one.selection and c.subject = rules_subject(w, one.sum_per);
      until := coalesce(ats[array_position(counters, counter)], clock_timestamp());
      spent := rules_sum(counter, until - one.sum_window, until);
      continue when spent <= one.sum_over or spent > one.sum_up_to;
    end if;
    if one.verdict = 'deny' then
      verdict := 'deny';
      rule := one.name;
      needs := '[]';
      return;
    end if;
    if one.verdict = 'approve' then
      verdict := 'approve';
      needs := needs || jsonb_build_object('rule', one.name, 'count', one.approvals, 'role', one.approver_role);
    elsif verdict = 'deny' then
      verdict := 'allow';
    end if;
  end loop;
end $$;
