-- Returns the event of a transaction that entered its status; null for a refund that is not booked yet.
-- Called by: `card_transactions_record_events`.
-- Locks: nothing.
-- Costs: nothing is read.
create or replace function card_transaction_event(t card_transactions) returns text
  language sql immutable as $$
  select case
    when t.status = 'declined' then 'card_transaction.declined'
    when t.status = 'reversed' then 'card_transaction.reversed'
    when t.type = 'refund' then case when t.status = 'settled' then 'card_transaction.refunded' end
    when t.status = 'settled' then 'card_transaction.settled'
    else 'card_transaction.authorized'
  end
$$;
