-- Adds written lines up: moves the lists' heads to the last of them, with their counts, and moves the
-- accounts, which must differ, and of which `spent` was held.
-- Called by: `ledger_post_lines`.
-- Locks: nothing. The caller holds the rows of the lists and accounts.
-- Costs: one update a list and account, by one statement.
create or replace function ledger_add_up(heads ledger_lists[], accounts bigint[], moved numeric[],
  spent numeric[]) returns void
language plpgsql as $$
declare
  count bigint;
  account bigint;
begin
  with counted as (
    update ledger_lists l set last_number = h.last_number, last_hash = h.last_hash, buys = h.buys,
        sells = h.sells, swaps = h.swaps, transfers = h.transfers, tail_size = h.tail_size
      from unnest(heads) h where l.id = h.id
  )
  update ledger_accounts a set balance = a.balance + m.amount, held = a.held - coalesce(m.spent, 0)
    from (
      select m.id, m.amount, m.spent from unnest(accounts, moved, spent) as m (id, amount, spent)
      order by m.id
    ) m where a.id = m.id and coalesce(m.spent, 0) between 0 and a.held;
  get diagnostics count = row_count;
  if count = cardinality(accounts) then
    return;
  end if;
  select m.id into account from unnest(accounts, spent) as m (id, spent) join ledger_accounts a on a.id = m.id
    where (m.spent between 0 and a.held) is false limit 1;
  if found then
    raise exception 'ledger account %: less held than spent', account using errcode = 'restrict_violation';
  end if;
  -- Of an account that has two places, only one would be added.
  raise exception 'an account is given twice' using errcode = 'restrict_violation';
end $$;
