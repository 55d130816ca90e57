-- Deletes the kinds of the nodes that some places of a settled list are in, and puts the list into the queue.
-- Called by: `ledger_count_late`.
-- Locks: the rows that it deletes, and the row of the queue. The caller holds the row of the list.
-- Costs: for each place, three nodes found and at most three rows deleted; one upsert.
create or replace function ledger_kinds_drop(in_list bigint, ats timestamptz[], numbers bigint[]) returns void
language plpgsql as $$
begin
  delete from ledger_kinds k where k.ctid = any (array(
    select h.ctid from (
      select distinct f.level, f.first_at, f.first_number from unnest(ats, numbers) as p (at, number),
        generate_series(0, 2) as level, lateral ledger_node_at(in_list, level, p.at, p.number) f
      where (f.upto_at, f.upto_number) > (p.at, p.number)
    ) n, lateral (
      select s.ctid from ledger_kinds s where s.list_id = in_list and s.level = n.level
        and s.first_at = n.first_at and s.first_number = n.first_number offset 0) h));
  perform ledger_kinds_queue_from(in_list, p.at, p.number)
    from unnest(ats, numbers) as p (at, number) order by p.at, p.number limit 1;
end $$;
