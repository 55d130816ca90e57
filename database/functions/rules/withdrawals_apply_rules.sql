-- Applies the published rules to new withdrawals of every path, and refuses those that are denied. One whose
-- payment was found on chain is counted, but never denied: it is paid already. The detail of the error has
-- each that is denied, by its place in order of list and position, and the rule.
-- Called by: trigger `withdrawals_apply_rules` on `withdrawals`, after each insert statement.
-- Locks: advisory lock `rules`, shared, which a publication takes exclusively; then as `rules_admit`.
-- Costs: one row by index without rules; with rules, `rules_admit`, and one insert for each withdrawal.
create or replace function withdrawals_apply_rules() returns trigger language plpgsql as $$
declare
  said record;
  current_revision integer;
  denials jsonb := '[]';
  place integer := 0;
begin
  perform pg_advisory_xact_lock_shared(hashtextextended('rules', 0));
  select s.revision into current_revision from rule_sets s where s.is_current and s.has_rules;
  if current_revision is null then
    return null;
  end if;
  for said in select *
    from rules_admit(array(select a::withdrawals from added a order by a.list_id, a.position),
      current_revision, '', null) loop
    if said.verdict = 'deny' and (select is_found_paid(a::withdrawals) from added a
        where a.id = said.withdrawal_id) then
      said.verdict := 'allow';
    end if;
    place := place + 1;
    if said.verdict = 'deny' then
      denials := denials || jsonb_build_object('place', place, 'rule', said.rule);
    end if;
    -- Without a row, it was allowed and counted nowhere.
    continue when said.verdict = 'deny' or said.verdict = 'allow' and said.counters = '{}';
    insert into rule_verdicts (withdrawal_id, revision, verdict, needs, counters, ats, judged_at)
      values (said.withdrawal_id, current_revision, said.verdict, said.needs, said.counters, said.ats,
        clock_timestamp());
  end loop;
  if denials <> '[]' then
    raise exception 'a rule denies the withdrawal' using errcode = 'restrict_violation',
      constraint = 'withdrawals_rules', detail = denials::text;
  end if;
  return null;
end $$;
create or replace trigger withdrawals_apply_rules after insert on withdrawals referencing new table as added
  for each statement execute function withdrawals_apply_rules();
