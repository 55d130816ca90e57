-- Replaces the sums of a user's accounts for the nodes of a level in a range; an unsettled list has none.
-- Reads the accounts first: with a join, the planner read every sum of a level, of all users, at each cut.
-- Called by: `ledger_cut_lines`, `ledger_group_nodes`.
-- Locks: the sums that it deletes. The caller holds the row of the list.
-- Costs: for each account and node, its movements (level 0) or its sums of the level below, and at most one
-- insert.
create or replace function ledger_sum_nodes(list ledger_lists, of_level integer, lo_at timestamptz,
  lo_number bigint, hi_at timestamptz, hi_number bigint) returns void
language plpgsql as $$
declare
  accounts bigint[] := array(select a.id from ledger_accounts a where a.user_id = list.user_id);
begin
  if not list.is_settled then return; end if;
  delete from ledger_sums s
    where s.account_id = any (accounts) and s.level = of_level
      and (s.first_at, s.first_number) >= (lo_at, lo_number)
      and (s.first_at, s.first_number) < (hi_at, hi_number);
  insert into ledger_sums (account_id, level, first_at, first_number, amount)
    select a.id, of_level, n.first_at, n.first_number, moved.amount
    from unnest(accounts) as a (id)
    join ledger_nodes n on n.list_id = list.id and n.level = of_level
      and (n.first_at, n.first_number) >= (lo_at, lo_number)
      and (n.first_at, n.first_number) < (hi_at, hi_number)
    cross join lateral (
      select sum(m.amount) as amount from ledger_movements m
      where of_level = 0 and m.account_id = a.id
        and (m.transaction_at, m.number) >= (n.first_at, n.first_number)
        and (m.transaction_at, m.number) < (n.upto_at, n.upto_number)
      union all
      select sum(s.amount) from ledger_sums s
      where of_level > 0 and s.account_id = a.id and s.level = of_level - 1
        and (s.first_at, s.first_number) >= (n.first_at, n.first_number)
        and (s.first_at, s.first_number) < (n.upto_at, n.upto_number)
    ) moved
    where moved.amount is not null;
end $$;
