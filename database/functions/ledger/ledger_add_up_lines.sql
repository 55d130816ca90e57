-- Adds written lines up: counts them in their lists, moves the lists' heads to the last of them, and moves
-- the accounts, of which `spent` was held. Returns the lists whose tails have become long.
-- Kept for postings of the release before that run while functions are replaced: a later migration drops it.
-- Called by: calls that began before.
-- Locks: nothing. The caller holds the rows of the lists and accounts.
-- Costs: one update a list and account, by one statement a table.
create or replace function ledger_add_up_lines(made ledger_lines[], late_lists bigint[], accounts bigint[],
  spent numeric[]) returns bigint[]
language plpgsql as $$
declare
  long bigint[];
begin
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
  update ledger_accounts a set balance = a.balance + m.amount, held = a.held - m.spent
    from (
      select m.account_id, sum(m.amount) as amount, sum(m.spent) as spent
      from (
        select received_account_id, received_amount, 0 from unnest(made) where received_account_id is not null
        union all
        select sent_account_id, -sent_amount, 0 from unnest(made) where sent_account_id is not null
        union all
        select s.account_id, 0, s.amount from unnest(accounts, spent) as s (account_id, amount)
          where s.amount <> 0
      ) m (account_id, amount, spent) group by m.account_id order by m.account_id
    ) m where a.id = m.account_id;
  return long;
end $$;
