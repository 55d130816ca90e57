-- Counts the lines of some types in a list from one place up to another.
-- Called by: `ledger_rank`.
-- Locks: nothing.
-- Costs: reads the lines in the range: of a settled list, one index range for each type; else records of all
-- types.
create or replace function ledger_count_between(list ledger_lists, types ledger_line_type[],
  lo_at timestamptz, lo_number bigint, hi_at timestamptz, hi_number bigint) returns bigint
language plpgsql stable as $$
begin
  if list.is_settled then
    return (select coalesce(sum(l.count), 0) from unnest(types) as t (type), lateral (
      select count(*) from ledger_lines s where s.list_id = list.id and s.type = t.type
        and (s.transaction_at, s.number) >= (lo_at, lo_number)
        and (s.transaction_at, s.number) < (hi_at, hi_number)) l);
  end if;
  return (select count(*) from ledger_unsettled u where u.list_id = list.id and u.type = any (types)
    and (u.transaction_at, u.number) >= (lo_at, lo_number)
    and (u.transaction_at, u.number) < (hi_at, hi_number));
end $$;
