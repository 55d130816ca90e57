-- Returns the balances after lines that are far apart, each counted back from the end of its node; in the
-- tail, from now.
-- Called by: `ledger_page`.
-- Locks: nothing.
-- Costs: for each line, one node and its account's movements from the line to the node's end or to now; one
-- `ledger_balances_before` for each node.
create or replace function ledger_balances_far_apart(list ledger_lists, lines ledger_lines[])
returns table (line ledger_lines, balance numeric)
language plpgsql stable rows 10 as $$
begin
  return query
    with placed as (
      select l, l.transaction_at, l.number, coalesce(l.received_account_id, l.sent_account_id) as account_id,
        n.upto_at, n.upto_number
      from unnest(lines) l left join lateral (
        select n.upto_at, n.upto_number from ledger_nodes n
        where (l.transaction_at, l.number) < (list.tail_at, list.tail_number) and n.list_id = list.id
          and n.level = 0
          and (n.first_at, n.first_number) <= (l.transaction_at, l.number)
        order by n.first_at desc, n.first_number desc limit 1) n on true
    ), bases as materialized (
      select e.upto_at, e.upto_number, b.*
      from (select p.upto_at, p.upto_number, array_agg(distinct p.account_id) as accounts
          from placed p where p.upto_at is not null group by p.upto_at, p.upto_number) e,
        lateral ledger_balances_before(list.id, e.accounts, e.upto_at, e.upto_number) b
    )
    select p.l, case when p.upto_at is null then a.balance else b.balance end - coalesce((
      select sum(m.amount) from ledger_movements m
      where m.account_id = p.account_id and (m.transaction_at, m.number) > (p.transaction_at, p.number)
        and (m.transaction_at, m.number) < (coalesce(p.upto_at, 'infinity'), coalesce(p.upto_number, 0))), 0)
    from placed p join ledger_accounts a on a.id = p.account_id
    left join bases b on b.account_id = p.account_id and b.upto_at = p.upto_at
      and b.upto_number = p.upto_number;
end $$;
