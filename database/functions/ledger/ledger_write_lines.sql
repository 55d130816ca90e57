-- Writes lines and their movements, counts them in their lists and moves the accounts, of which `spent` was
-- held. Returns the lists whose tails have become long.
-- Kept for processes of the release before: a later migration drops it with `ledger_post`.
-- Called by: `ledger_post`.
-- Locks: nothing. The caller holds the rows of the lists and accounts.
-- Costs: one row a line and movement, one update a list and account, by one statement a table; triggers.
create or replace function ledger_write_lines(made ledger_new_lines[], late_lists bigint[], accounts bigint[],
  spent numeric[])
returns bigint[]
language plpgsql as $$
declare
  long bigint[];
begin
  insert into ledger_lines (list_id, number, type, transaction_at, posting_id, operation_id, unique_hash_id,
      sent_account_id, sent_amount, received_account_id, received_amount, status, description, purpose,
      user_description, executed_at, hash)
    select list_id, number, type, transaction_at, posting_id, operation_id, unique_hash_id, sent_account_id,
      sent_amount, received_account_id, received_amount, status, description, purpose, user_description,
      executed_at, hash
    from unnest(made);
  with counted as (
    update ledger_lists l set last_number = c.number, last_hash = c.hash, buys = l.buys + c.buys,
      sells = l.sells + c.sells, swaps = l.swaps + c.swaps, transfers = l.transfers + c.transfers,
      tail_size = l.tail_size + c.on_tail
    from (
      select r.list_id, max(r.number) as number,
        (array_agg(r.hash order by r.number desc nulls last))[1] as hash,
        count(*) filter (where r.type = 'buy') as buys, count(*) filter (where r.type = 'sell') as sells,
        count(*) filter (where r.type = 'swap-bridge') as swaps,
        count(*) filter (where r.type = 'transfer-token') as transfers, sum(r.on_tail) as on_tail
      from (
        select list_id, number, hash, type, 1 as on_tail from unnest(made)
        union all select list_id, null, null, null, -1 from unnest(late_lists) list_id
      ) r group by r.list_id
    ) c where l.id = c.list_id
    returning l.id, l.tail_size
  )
  select array_agg(c.id order by c.id) into long
    from (select * from counted where tail_size >= 128 order by tail_size desc limit ledger_cuts_max()) c;
  with moved as materialized (
    select m.account_id, r.transaction_at, r.number, m.amount
    from unnest(made) r,
      lateral (values (r.received_account_id, r.received_amount), (r.sent_account_id, -r.sent_amount)) as m
        (account_id, amount)
    where m.account_id is not null
  ), of_movements as (
    insert into ledger_movements (account_id, transaction_at, number, amount)
      select m.account_id, m.transaction_at, m.number, m.amount from moved m
  )
  update ledger_accounts a set balance = a.balance + m.amount, held = a.held - m.spent
    from (
      select m.account_id, sum(m.amount) as amount, sum(m.spent) as spent
      from (
        select account_id, amount, 0 as spent from moved
        union all select s.account_id, 0, s.amount from unnest(accounts, spent) as s (account_id, amount)
          where s.amount <> 0
      ) m group by m.account_id order by m.account_id
    ) m where a.id = m.account_id;
  return long;
end $$;
