-- Returns a page of a user's lines of some types that send from some accounts or are received by some, their exact
-- number, and what these accounts sent and received in them: for each account its id, how many lines send, how much,
-- how many receive, and how much. All are null for a user without a list.
-- Called by: `src/features/ledger/find/queries.ts`.
-- Locks: nothing.
-- Costs: one `ledger_kinds_cover`; for each stored node that has lines of the page, one below it, down to nodes of
-- level 0, whose lines are read.
create or replace function ledger_find(of_user uuid, types ledger_line_type[], senders bigint[], receivers bigint[], start_at timestamptz,
  end_at timestamptz, skip bigint, size bigint, is_oldest_first boolean, out total bigint, out lines ledger_lines[], out sums text)
language plpgsql stable set plan_cache_mode = force_generic_plan set enable_bitmapscan = off as $$
declare
  list bigint := (select l.id from ledger_lists l where l.user_id = of_user and l.is_settled);
  parts ledger_kinds[];
  rest bigint := skip;
begin
  if list is null then return; end if;
  parts := array(select c from ledger_kinds_cover(list, coalesce(start_at, '-infinity'), 0, coalesce(end_at, 'infinity'),
    9223372036854775807, 2) c);
  select string_agg(concat(a.id, ' ', a.sending, ' ', a.sent, ' ', a.receiving, ' ', a.received), ' ') into sums from (
    select m.id, sum(m.sending) as sending, sum(m.sent) as sent, sum(m.receiving) as receiving, sum(m.received) as received
    from unnest(parts) p, unnest(p.kinds) k, lateral (
      select k.sent_account_id, k.lines, k.sent, 0, 0 where k.sent_account_id = any (senders)
      union all
      select k.received_account_id, 0, 0, k.lines, k.received where k.received_account_id = any (receivers)
    ) as m (id, sending, sent, receiving, received)
    where k.type = any (types) group by m.id) a;
  loop
    -- Those that the page is in; at first also how many lines there are in all.
    select array_agg(c.part order by c.through) filter (where c.is_shown), max(rest - c.before) filter (where c.is_shown),
        coalesce(total, sum(c.lines))
      into parts, rest, total
    from (
      select p.part, p.lines, p.through, p.through - p.lines as before,
        p.lines > 0 and p.through > rest and p.through - p.lines < rest + size as is_shown
      from (
        select u as part, k.lines, sum(k.lines) over (order by
          case when is_oldest_first then u.first_at end, case when is_oldest_first then u.first_number end,
          u.first_at desc, u.first_number desc) as through
        from unnest(parts) u cross join lateral (
          select coalesce(sum(k.lines), 0) as lines from unnest(u.kinds) k
          where k.type = any (types) and (k.sent_account_id = any (senders) or k.received_account_id = any (receivers))) k
      ) p
    ) c;
    exit when parts is null or not exists (select from unnest(parts) p where p.level > 0);
    parts := array(
      select p from unnest(parts) p where p.level <= 0
      union all
      select c from unnest(parts) p
        cross join lateral ledger_kinds_cover(list, p.first_at, p.first_number, p.upto_at, p.upto_number, p.level - 1) c
      where p.level > 0);
  end loop;
  lines := array(
    select l from unnest(parts) p cross join unnest(types) as t (type) cross join lateral (
      select * from ledger_lines s where s.list_id = list and s.type = t.type
        and (s.transaction_at, s.number) >= (p.first_at, p.first_number) and (s.transaction_at, s.number) < (p.upto_at, p.upto_number)
        and (s.sent_account_id = any (senders) or s.received_account_id = any (receivers)) offset 0) l
    order by case when is_oldest_first then l.transaction_at end, case when is_oldest_first then l.number end,
      l.transaction_at desc, l.number desc
    offset rest limit size);
end $$;
