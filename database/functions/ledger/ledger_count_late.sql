-- Counts lines that were posted into nodes, and adds what they moved to the sums of these nodes.
-- Called by: `ledger_place_lines`.
-- Locks: nodes and sums of the lines, list by list in order of id. The caller holds the rows of the lists.
-- Costs: for each list, one `ledger_sum_late`, one `ledger_kinds_drop` and one `ledger_count`; at most
-- `ledger_cuts_max` cuts in all.
create or replace function ledger_count_late(late ledger_lines[]) returns void
language plpgsql as $$
declare
  of_list record;
  cuts integer := ledger_cuts_max();
begin
  for of_list in
    select r.list_id, array_agg(r.type) as types, array_agg(r.transaction_at) as ats,
      array_agg(r.number) as numbers, array_agg(r) as lines
    from unnest(late) r group by r.list_id order by r.list_id
  loop
    perform ledger_sum_late(of_list.list_id, array_agg(m.account_id), array_agg(r.transaction_at),
        array_agg(r.number), array_agg(m.amount))
      from unnest(of_list.lines) r,
        lateral (values (r.received_account_id, r.received_amount), (r.sent_account_id, -r.sent_amount)) as m
          (account_id, amount)
      where m.account_id is not null;
    perform ledger_kinds_drop(of_list.list_id, of_list.ats, of_list.numbers);
    cuts := cuts - ledger_count(of_list.list_id, of_list.types, of_list.ats, of_list.numbers, 1, cuts);
  end loop;
end $$;
