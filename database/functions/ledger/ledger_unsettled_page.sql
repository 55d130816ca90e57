-- Returns a page of unsettled records, newest first, and their total; one row without a record if the page is
-- empty, none if the user has no list.
-- Called by: `src/features/ledger/unsettled/queries.ts`.
-- Locks: nothing.
-- Costs: one `ledger_locate`; the records of the page, and those between it and the place that was located.
create or replace function ledger_unsettled_page(of_user uuid, start_at timestamptz, end_at timestamptz,
  skip bigint, size bigint)
returns table (total bigint, record ledger_unsettled)
language plpgsql stable rows 10 set plan_cache_mode = force_generic_plan set enable_bitmapscan = off as $$
declare
  list ledger_lists;
  spot record;
begin
  select * into list from ledger_lists l where l.user_id = of_user and not l.is_settled;
  if not found then return; end if;
  spot := ledger_locate(list, enum_range(null::ledger_line_type), start_at, end_at, skip);
  return query
    select spot.total, u from ledger_unsettled u
    where u.list_id = list.id and (u.transaction_at, u.number) < (spot.upto_at, spot.upto_number)
      and u.transaction_at >= coalesce(start_at, '-infinity')
    order by u.transaction_at desc, u.number desc offset spot.rest limit size;
  if not found then
    total := spot.total;
    record := null;
    return next;
  end if;
end $$;
