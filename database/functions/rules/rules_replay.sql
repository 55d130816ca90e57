-- Returns what a set of rules would have said about past withdrawals, one after another: those that it denies
-- do not count in later sums. Changes nothing that lasts.
-- Called by: `src/features/rules/queries/sets.ts`.
-- Locks: counters that no other session names, which it deletes at the end.
-- Costs: as the creation of so many withdrawals under rules, about a third of a millisecond each.
create or replace function rules_replay(of_revision integer, since timestamptz, most integer)
returns table (withdrawal_id uuid, verdict text, rule text) language plpgsql as $$
declare
  w withdrawals;
  said record;
  space text := 'replay ' || pg_backend_pid() || ' ';
begin
  for w in select * from (
      select p.* from withdrawals p where p.id > uuidv7(since - now() - interval '1 day')
        and p.created_at >= since
      order by p.id desc limit most) newest order by newest.id loop
    select * into said from rules_admit(array[w], of_revision, space, w.created_at);
    if said.verdict = 'deny' then
      update rule_counters c set total = c.total - rules_units(w.amount, w.decimals)
        where c.id = any (said.counters);
      delete from rule_spends s using unnest(said.counters, said.ats) as n (id, at) where s.counter_id = n.id
        and s.at = n.at;
    elsif w.status = 'failed' then
      insert into rule_returns (counter_id, at, amount)
        select n.id, n.at, rules_units(w.amount, w.decimals)
          from unnest(said.counters, said.ats) as n (id, at);
    end if;
    withdrawal_id := w.id;
    verdict := said.verdict;
    rule := case said.verdict when 'approve' then said.needs->0->>'rule' else said.rule end;
    return next;
  end loop;
  delete from rule_spends s using rule_counters c where c.id = s.counter_id
    and starts_with(c.selection, space);
  delete from rule_returns r using rule_counters c where c.id = r.counter_id
    and starts_with(c.selection, space);
  delete from rule_counters c where starts_with(c.selection, space);
end $$;
