-- Returns what accounts of a list's user had before a place.
-- Called by: `ledger_balances_far_apart`, `ledger_page`, `src/features/ledger/lines/queries/lookups.ts`,
-- `src/features/ledger/lines/queries/statement.ts`.
-- Locks: nothing.
-- Costs: three nodes; for each account, its sums of the top level before the place, on both lower levels
-- those below one node, and its movements in one node or in the tail.
create or replace function ledger_balances_before(in_list bigint, accounts bigint[], at timestamptz,
  at_number bigint)
returns table (account_id bigint, balance numeric)
language plpgsql stable rows 5 as $$
declare
  node ledger_nodes;
  -- Up to where each level counts.
  ats timestamptz[] := array_fill('-infinity'::timestamptz, array[3]);
  numbers bigint[] := array_fill(0::bigint, array[3]);
begin
  for depth in 0..2 loop
    select * into node from ledger_nodes n
      where n.list_id = in_list and n.level = depth and (n.first_at, n.first_number) <= (at, at_number)
      order by n.first_at desc, n.first_number desc limit 1;
    exit when not found;
    if (node.upto_at, node.upto_number) > (at, at_number) then
      ats[depth + 1] := node.first_at;
      numbers[depth + 1] := node.first_number;
    else
      ats[depth + 1] := node.upto_at;
      numbers[depth + 1] := node.upto_number;
    end if;
  end loop;
  return query
    select a.id, (
      select coalesce(sum(s.amount), 0) from ledger_sums s
      where s.account_id = a.id and s.level = 2 and (s.first_at, s.first_number) < (ats[3], numbers[3])
    ) + (
      select coalesce(sum(s.amount), 0) from ledger_sums s where s.account_id = a.id and s.level = 1
        and (s.first_at, s.first_number) >= (ats[3], numbers[3])
        and (s.first_at, s.first_number) < (ats[2], numbers[2])
    ) + (
      select coalesce(sum(s.amount), 0) from ledger_sums s where s.account_id = a.id and s.level = 0
        and (s.first_at, s.first_number) >= (ats[2], numbers[2])
        and (s.first_at, s.first_number) < (ats[1], numbers[1])
    ) + (
      select coalesce(sum(m.amount), 0) from ledger_movements m where m.account_id = a.id
        and (m.transaction_at, m.number) >= (ats[1], numbers[1])
        and (m.transaction_at, m.number) < (at, at_number)
    ) from unnest(accounts) as a (id);
end $$;
