-- Takes withdrawals that failed out of the sums of rules.
-- Called by: trigger `withdrawals_return_spends` on `withdrawals`, after each update statement.
-- Locks: advisory lock `rules`, shared, if one fails; a publication takes it exclusively.
-- Costs: for each withdrawal that fails, its verdict by primary key, and one insert for each counter.
create or replace function withdrawals_return_spends() returns trigger language plpgsql as $$
begin
  if not exists (select from after_rows a join before_rows b on b.id = a.id and b.status <> 'failed'
      and a.status = 'failed') then
    return null;
  end if;
  -- A publication may be counting it at this moment: what it counted is seen once it has committed.
  perform pg_advisory_xact_lock_shared(hashtextextended('rules', 0));
  insert into rule_returns (counter_id, at, amount)
    select s.counter_id, s.at, s.amount
    from after_rows a join before_rows b on b.id = a.id and b.status <> 'failed' and a.status = 'failed'
    join rule_verdicts v on v.withdrawal_id = a.id
    cross join lateral unnest(v.counters, v.ats) as n (counter_id, at)
    join rule_spends s on s.counter_id = n.counter_id and s.at = n.at
    on conflict do nothing;
  return null;
end $$;
create or replace trigger withdrawals_return_spends after update on withdrawals
  referencing old table as before_rows new table as after_rows
    for each statement execute function withdrawals_return_spends();
