-- Returns what accounts had after a line, in their order: counted back from now if `ats` is null, else from
-- the end of a node. Called in FROM, where PostgreSQL inlines it: a call for each account took twice as long
-- (`npm run bench -- history pages` measures it).
-- Called by: `ledger_lines_page`, `ledger_page`.
-- Locks: nothing.
-- Costs: for each account, its movements from the line to that end, and its balance or its sums: those of the
-- top level before the end, and on both lower levels those below one node.
create or replace function ledger_balances_after(accounts bigint[], line_at timestamptz, line_number bigint,
  ats timestamptz[], numbers bigint[])
returns table (account_id bigint, balance numeric, place bigint)
language sql stable as $$
  select u.id, case when ats is null then (select a.balance from ledger_accounts a where a.id = u.id) else (
      select coalesce(sum(s.amount), 0) from ledger_sums s
      where s.account_id = u.id and s.level = 2 and (s.first_at, s.first_number) < (ats[3], numbers[3])
    ) + (
      select coalesce(sum(s.amount), 0) from ledger_sums s where s.account_id = u.id and s.level = 1
        and (s.first_at, s.first_number) >= (ats[3], numbers[3])
        and (s.first_at, s.first_number) < (ats[2], numbers[2])
    ) + (
      select coalesce(sum(s.amount), 0) from ledger_sums s where s.account_id = u.id and s.level = 0
        and (s.first_at, s.first_number) >= (ats[2], numbers[2])
        and (s.first_at, s.first_number) < (ats[1], numbers[1])
    ) end - (
      select coalesce(sum(m.amount), 0) from ledger_movements m where m.account_id = u.id
        and (m.transaction_at, m.number) > (line_at, line_number)
        and (m.transaction_at, m.number) < (coalesce(ats[1], 'infinity'), coalesce(numbers[1], 0))
    ), u.place
  from unnest(accounts) with ordinality as u (id, place)
$$;
