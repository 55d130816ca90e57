-- Returns lines of a settled list in some ranges that send from some accounts or are received by some, in
-- order of their dates.
-- Called by: `ledger_find`.
-- Locks: nothing.
-- Costs: for each range and type, at most `skip` + `size` matching lines, and those between them.
create or replace function ledger_find_lines(in_list bigint, types ledger_line_type[], senders bigint[],
  receivers bigint[], ats timestamptz[], numbers bigint[], end_ats timestamptz[], end_numbers bigint[],
  skip bigint, size bigint, is_oldest_first boolean)
returns ledger_lines[]
language plpgsql stable as $$
begin
  if is_oldest_first then
    return array(
      select l from unnest(ats, numbers, end_ats, end_numbers) as p (at, number, end_at, end_number)
      cross join unnest(types) as t (type) cross join lateral (
        select * from ledger_lines s where s.list_id = in_list and s.type = t.type
          and (s.transaction_at, s.number) >= (p.at, p.number)
          and (s.transaction_at, s.number) < (p.end_at, p.end_number)
          and (s.sent_account_id = any (senders) or s.received_account_id = any (receivers))
        order by s.transaction_at, s.number limit skip + size) l
      order by l.transaction_at, l.number offset skip limit size);
  end if;
  return array(
    select l from unnest(ats, numbers, end_ats, end_numbers) as p (at, number, end_at, end_number)
    cross join unnest(types) as t (type) cross join lateral (
      select * from ledger_lines s where s.list_id = in_list and s.type = t.type
        and (s.transaction_at, s.number) >= (p.at, p.number)
        and (s.transaction_at, s.number) < (p.end_at, p.end_number)
        and (s.sent_account_id = any (senders) or s.received_account_id = any (receivers))
      order by s.transaction_at desc, s.number desc limit skip + size) l
    order by l.transaction_at desc, l.number desc offset skip limit size);
end $$;
