-- Returns the lines of a list from one place up to another, in no order. By type, because the index begins
-- with it.
-- Called by: `ledger_cut_lines`, `src/features/ledger/verify/queries/nodes.ts`.
-- Locks: nothing.
-- Costs: reads the lines in the range: of a settled list, one index range for each type; else one for all
-- records.
create or replace function ledger_keys(list ledger_lists, lo_at timestamptz, lo_number bigint,
  hi_at timestamptz, hi_number bigint)
returns table (type ledger_line_type, transaction_at timestamptz, number bigint)
language plpgsql stable rows 500 as $$
begin
  if list.is_settled then
    return query
      select t.type, l.transaction_at, l.number
      from unnest(enum_range(null::ledger_line_type)) as t (type), lateral (
        select s.transaction_at, s.number from ledger_lines s
        where s.list_id = list.id and s.type = t.type
          and (s.transaction_at, s.number) >= (lo_at, lo_number)
          and (s.transaction_at, s.number) < (hi_at, hi_number)) l;
  else
    return query
      select u.type, u.transaction_at, u.number from ledger_unsettled u
      where u.list_id = list.id
        and (u.transaction_at, u.number) >= (lo_at, lo_number)
        and (u.transaction_at, u.number) < (hi_at, hi_number);
  end if;
end $$;
