-- Why: notes the transfers that were credited before 0016. In a separate migration, because creating the trigger of 0016 locks the lines
-- against writers until it commits; this takes as long as reading all lines, and lines are posted meanwhile. What was credited twice
-- before is noted once.

insert into ledger_credits (network, key)
  select a.network, l.unique_hash_id from ledger_lines l join ledger_accounts a on a.id = l.received_account_id
  where l.unique_hash_id like '0x%'
  on conflict do nothing;

-- Credits whose line has another key, because the user's own ledger had the place already.
insert into ledger_credits (network, key)
  select network, transaction_hash || ':' || log_index from deposits
  on conflict do nothing;
insert into ledger_credits (network, key)
  select w.network, p.transaction_hash || ':' || p.log_index
  from withdrawals w join ledger_postings p on p.kind = 'withdrawal' and p.operation_id = w.id::text
  where w.recipient_user_id = w.user_id and w.status = 'completed'
  on conflict do nothing;
