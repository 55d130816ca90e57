-- Deletes the kinds of the nodes of a level in a range, whose nodes are made new, and puts the list into the
-- queue; an unsettled list has none.
-- Called by: `ledger_cut_lines`, `ledger_group_nodes`.
-- Locks: the rows that it deletes, and the row of the queue. The caller holds the row of the list.
-- Costs: one index range; one upsert.
create or replace function ledger_kinds_drop_between(list ledger_lists, of_level integer, lo_at timestamptz,
  lo_number bigint, hi_at timestamptz, hi_number bigint) returns void
language plpgsql as $$
begin
  if not list.is_settled then return; end if;
  delete from ledger_kinds k where k.list_id = list.id and k.level = of_level
    and (k.first_at, k.first_number) >= (lo_at, lo_number)
    and (k.first_at, k.first_number) < (hi_at, hi_number);
  perform ledger_kinds_queue_from(list.id, lo_at, lo_number);
end $$;
