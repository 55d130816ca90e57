-- Notifies the worker that numbers events, unless a record waits just before the first of the caller's: the
-- worker is awake then, and looks again after each turn and every 100 ms. Transactions that notify commit one
-- after another, so a notification for each creation would make creations a third as fast.
-- Called by: `card_refills_record_events`, `card_transactions_record_events`, `cards_record_events`,
-- `deposits_record_events`, `ledger_record_events`, `withdrawals_note_insert`, `withdrawals_note_moves`,
-- `src/features/events/queries.ts`.
-- Locks: nothing. Transactions that notify commit one after another.
-- Costs: at most 64 rows by index: deleted records further back are not walked over.
create or replace function event_records_wake(first_id bigint) returns void language sql as $$
  select pg_notify('event_records', '') where first_id is not null and not exists (
    select from event_records r where r.id >= first_id - 64 and r.id < first_id and r.parked_at is null)
$$;
