-- Shows the books by double entry: what each account gained and lost by a posting, and the same for the
-- house's accounts with the opposite sign.
-- Called by: tests, which add all books up, and operators who look into them.
-- Locks: nothing.
-- Costs: reads all lines and accounts, so no frequent query uses it.
create or replace view ledger_entries as
  with moved as (
    select l.posting_id, m.account_id, a.network, a.currency, sum(m.amount) as amount
    from ledger_lines l
    cross join lateral (values (l.received_account_id, l.received_amount),
      (l.sent_account_id, -l.sent_amount)) as m (account_id, amount)
    left join ledger_accounts a on a.id = m.account_id
    where m.account_id is not null
    group by l.posting_id, m.account_id, a.network, a.currency, m.amount > 0
  )
  select m.posting_id, m.account_id, m.amount from moved m
  union all
  select m.posting_id, c.id, -sum(m.amount)
  from moved m join ledger_accounts c on c.house = 'custody' and c.network = m.network
    and c.currency = m.currency
  group by m.posting_id, c.id having sum(m.amount) <> 0;
