-- Returns a page of some types, newest first, its total, and the balance after each line; one row without a
-- line if the page is empty, none if the user has no list.
-- Called by: `src/features/ledger/lines/queries/pages.ts`.
-- Locks: nothing.
-- Costs: `ledger_locate`, `ledger_newest`, one call for the balances, and the accounts' movements between the
-- newest and the oldest line; with at least 32 nodes between these, `ledger_balances_far_apart` instead.
create or replace function ledger_page(of_user uuid, types ledger_line_type[], start_at timestamptz,
  end_at timestamptz, skip bigint, size bigint)
returns table (total bigint, line ledger_lines, balance numeric)
language plpgsql stable rows 10 set plan_cache_mode = force_generic_plan set enable_bitmapscan = off as $$
declare
  list ledger_lists;
  spot record;
  lines ledger_lines[];
  newest ledger_lines;
  oldest ledger_lines;
  accounts bigint[];
  balances numeric[];
begin
  select * into list from ledger_lists l where l.user_id = of_user and l.is_settled;
  if not found then return; end if;
  spot := ledger_locate(list, types, start_at, end_at, skip);
  if spot.upto_at is not null then
    lines := array(select l from ledger_newest(list.id, types, coalesce(start_at, '-infinity'), spot.upto_at,
      spot.upto_number, list.last_number, spot.rest, size) l);
  end if;
  if coalesce(cardinality(lines), 0) = 0 then
    total := spot.total;
    return next;
    return;
  end if;
  newest := lines[1];
  oldest := lines[cardinality(lines)];
  if (oldest.transaction_at, oldest.number) < (list.tail_at, list.tail_number)
      and (select count(*) from (select from ledger_nodes n where n.list_id = list.id and n.level = 0
      and (n.first_at, n.first_number) > (oldest.transaction_at, oldest.number)
      and (n.first_at, n.first_number) <= (newest.transaction_at, newest.number) limit 32) between_them) = 32
        then
    return query select spot.total, f.line, f.balance from ledger_balances_far_apart(list, lines) f;
    return;
  end if;
  accounts := array(select distinct coalesce(l.received_account_id, l.sent_account_id) from unnest(lines) l);
  if spot.ats is not null or (newest.transaction_at, newest.number) >= (list.tail_at, list.tail_number) then
    balances := array(select b.balance
      from ledger_balances_after(accounts, newest.transaction_at, newest.number, spot.ats, spot.numbers) b
        order by b.place);
  else
    select array_agg(b.account_id), array_agg(b.balance) into accounts, balances
      from ledger_balances_before(list.id, accounts, newest.transaction_at, newest.number + 1) b;
  end if;
  return query
    with shown as (
      select l, l.transaction_at, l.number, coalesce(l.received_account_id, l.sent_account_id) as account_id,
        lag(l.transaction_at) over w as newer_at, lag(l.number) over w as newer_number
      from unnest(lines) l
      window w as (partition by coalesce(l.received_account_id, l.sent_account_id)
        order by l.transaction_at desc, l.number desc)
    ), moved as (
      select s.*, (select sum(m.amount) from ledger_movements m
        where m.account_id = s.account_id and (m.transaction_at, m.number) > (s.transaction_at, s.number)
          and (m.transaction_at, m.number) <= (coalesce(s.newer_at, newest.transaction_at),
            coalesce(s.newer_number, newest.number))
        ) as since
      from shown s
    )
    select spot.total, m.l, b.balance
      - coalesce(sum(m.since) over (partition by m.account_id order by m.transaction_at desc, m.number desc),
        0)
    from moved m join unnest(accounts, balances) as b (account_id, balance) on b.account_id = m.account_id;
end $$;
