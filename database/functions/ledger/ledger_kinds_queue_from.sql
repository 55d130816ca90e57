-- Notes that a settled list has nodes without a row in `ledger_kinds` from the node of a place on.
-- Called by: `ledger_kinds_drop`, `ledger_kinds_drop_between`.
-- Locks: the row of the queue. The caller holds the row of the list.
-- Costs: one upsert.
create or replace function ledger_kinds_queue_from(in_list bigint, at timestamptz, at_number bigint)
  returns void
language sql as $$
  insert into ledger_kinds_queue as q (list_id, from_at, from_number) values (in_list, at, at_number)
  on conflict (list_id) do update set from_at = excluded.from_at, from_number = excluded.from_number
    where (excluded.from_at, excluded.from_number) < (q.from_at, q.from_number)
$$;
