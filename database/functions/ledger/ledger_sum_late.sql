-- Adds what was moved within nodes to the sums of these nodes.
-- Called by: `ledger_count_late`.
-- Locks: the rows of the sums. The caller holds the row of the list.
-- Costs: for each movement, three nodes; one upsert for each account and node.
create or replace function ledger_sum_late(in_list bigint, accounts bigint[], ats timestamptz[],
  numbers bigint[], amounts numeric[]) returns void
language plpgsql as $$
begin
  insert into ledger_sums (account_id, level, first_at, first_number, amount)
    select m.account_id, f.level, f.first_at, f.first_number, sum(m.amount)
    from unnest(accounts, ats, numbers, amounts) as m (account_id, at, number, amount),
      generate_series(0, 2) as level, lateral ledger_node_at(in_list, level, m.at, m.number) f
    where (f.upto_at, f.upto_number) > (m.at, m.number)
    group by 1, 2, 3, 4
    on conflict (account_id, level, first_at, first_number) do update
      set amount = ledger_sums.amount + excluded.amount;
end $$;
