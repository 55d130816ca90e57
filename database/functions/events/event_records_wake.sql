-- Notifies the worker that numbers events, unless a record waits just before the first of the caller's: the
-- worker is awake then. Transactions that notify commit one after another, so a notification for each
-- creation would make creations a third as fast.
-- Called by: `card_refills_record_events`, `card_transactions_record_events`, `cards_record_events`,
-- `deposits_record_events`, `ledger_record_events`, `withdrawals_record_moves`, `withdrawals_record_new`,
-- `src/features/events/queries.ts`.
-- Locks: nothing. Transactions that notify commit one after another.
-- Costs: at most 64 rows by index: deleted records further back are not walked over.
create or replace function event_records_wake(first_id bigint, bulk boolean default false) returns void
  language sql as $$
  select pg_notify('event_records', '') where first_id is not null and not exists (
    select from event_records r where r.is_bulk = bulk and r.id >= first_id - 64 and r.id < first_id)
$$;
