-- The books as they are kept by double entry: what each account gained and what it lost by a posting, and the same of the house's, the
-- other way round. For whoever looks at them: it reads all lines, and nothing that is asked often does.
create or replace view ledger_entries as
  with moved as (
    select l.posting_id, m.account_id, a.network, a.currency, sum(m.amount) as amount
    from ledger_lines l
    cross join lateral (values (l.received_account_id, l.received_amount), (l.sent_account_id, -l.sent_amount)) as m (account_id, amount)
    left join ledger_accounts a on a.id = m.account_id
    where m.account_id is not null
    group by l.posting_id, m.account_id, a.network, a.currency, m.amount > 0
  )
  select m.posting_id, m.account_id, m.amount from moved m
  union all
  select m.posting_id, c.id, -sum(m.amount)
  from moved m join ledger_accounts c on c.house = 'custody' and c.network = m.network and c.currency = m.currency
  group by m.posting_id, c.id having sum(m.amount) <> 0;
