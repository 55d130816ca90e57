-- Returns a page of every type, newest first, its total, and what each account had after the newest line. No
-- line between is left out, so the reader counts balances back. Each account comes once, not with each line.
-- Called by: `src/features/ledger/lines/queries/pages.ts`.
-- Locks: nothing.
-- Costs: one `ledger_locate`, one `ledger_newest`, one `ledger_balances_after` for the accounts of the page.
create or replace function ledger_lines_page(of_user uuid, start_at timestamptz, end_at timestamptz,
  skip bigint, size bigint, out total bigint, out lines ledger_lines[], out accounts text)
language plpgsql stable set plan_cache_mode = force_generic_plan set enable_bitmapscan = off as $$
declare
  types ledger_line_type[] := '{buy,sell,swap-bridge,transfer-token}';
  list ledger_lists;
  spot record;
  moved bigint[];
begin
  select * into list from ledger_lists l where l.user_id = of_user and l.is_settled;
  if not found then return; end if;
  spot := ledger_locate(list, types, start_at, end_at, skip);
  total := spot.total;
  if spot.upto_at is null then return; end if;
  lines := array(select l from ledger_newest(list.id, types, coalesce(start_at, '-infinity'), spot.upto_at,
    spot.upto_number, list.last_number, spot.rest, size) l);
  if cardinality(lines) = 0 then return; end if;
  moved := array(select distinct m.id from unnest(lines) l,
    lateral (values (l.sent_account_id), (l.received_account_id)) as m (id)
    where m.id is not null);
  select string_agg(concat(a.id, ' ', a.network, ' ', a.currency, ' ', b.balance), ' ') into accounts
    from ledger_balances_after(moved, (lines[1]).transaction_at, (lines[1]).number, spot.ats, spot.numbers) b
    join ledger_accounts a on a.id = b.account_id;
end $$;
