-- Counts lines that were written before the tails of their lists, by list and number, and cuts long tails.
-- Called by: `ledger_post_lines`, `ledger_post_single`.
-- Locks: as `ledger_count_late` and `ledger_cut_tail`. The caller holds the rows of the lists.
-- Costs: one line by index for each late one, one `ledger_count_late`, and one `ledger_cut_tail` a long tail.
create or replace function ledger_place_lines(late_lists bigint[], late_numbers bigint[], long bigint[])
  returns void
language plpgsql as $$
declare
  list bigint;
begin
  if late_lists is not null then
    perform ledger_count_late(array(select l from unnest(late_lists, late_numbers) as k (list_id, number)
      join ledger_lines l on l.list_id = k.list_id and l.number = k.number));
  end if;
  foreach list in array coalesce(long, '{}') loop
    perform ledger_cut_tail(list);
  end loop;
end $$;
