-- Returns a page of a user's lines by type, asset, network, direction and period, their exact number, and
-- what they moved of these assets: for each account its id, how many lines send, how much, how many receive,
-- how much, and how much of it conversions sent and received. `accounts` names all accounts of the user. All
-- are null for a user without a list.
-- Called by: `src/features/ledger/find/queries/found.ts`.
-- Locks: nothing.
-- Costs: one `ledger_kinds_cover`; for each stored node that has lines of the page, one below it, down to
-- nodes of level 0; one `ledger_find_lines`.
create or replace function ledger_find(of_user uuid, types ledger_line_type[], asset text, on_network text,
  direction text, start_at timestamptz, end_at timestamptz, skip bigint, size bigint, is_oldest_first boolean,
  out total bigint, out lines ledger_lines[], out sums text, out accounts text) language plpgsql stable
set plan_cache_mode = force_generic_plan set enable_bitmapscan = off set jit = off as $$
declare
  list bigint := (select l.id from ledger_lists l where l.user_id = of_user and l.is_settled);
  ids bigint[] := array(select a.id from ledger_accounts a where a.user_id = of_user
    and a.currency = coalesce(asset, a.currency) and a.network = coalesce(on_network, a.network));
  senders bigint[] := case when direction is distinct from 'in' then ids end;
  receivers bigint[] := case when direction is distinct from 'out' then ids end;
  -- Parts of the period, from the page's first line on, with how many matching lines each has.
  levels smallint[]; ats timestamptz[]; numbers bigint[]; end_ats timestamptz[]; end_numbers bigint[];
  counts bigint[]; rest bigint := skip;
begin
  if list is null then return; end if;
  select string_agg(concat_ws(' ', a.id, a.network, a.currency), ' ') into accounts from ledger_accounts a
    where a.user_id = of_user;
  with parts as materialized (
    select * from ledger_kinds_cover(list, coalesce(start_at, '-infinity'), 0, coalesce(end_at, 'infinity'),
      9223372036854775807, 2)
  ), kinds as materialized (
    select p.first_at, p.first_number, k.* from parts p, unnest(p.kinds) k
    where k.type = any (types)
      and (k.sent_account_id = any (senders) or k.received_account_id = any (receivers))
  ), moved as (
    select k.sent_account_id as id, sum(k.lines) as sending, sum(k.sent) as sent, 0 as receiving,
      0 as received, coalesce(sum(k.sent) filter (where k.type = 'swap-bridge'), 0) as swapped_out,
      0 as swapped_in
      from kinds k where k.sent_account_id = any (senders) group by k.sent_account_id
    union all
    select k.received_account_id, 0, 0, sum(k.lines), sum(k.received), 0,
      coalesce(sum(k.received) filter (where k.type = 'swap-bridge'), 0)
      from kinds k where k.received_account_id = any (receivers) group by k.received_account_id
  ), counted as (
    select p.*, k.lines from parts p join (select first_at, first_number, sum(kinds.lines) as lines from kinds
      group by first_at, first_number) k using (first_at, first_number)
  )
  select coalesce(sum(c.lines), 0), array_agg(c.level), array_agg(c.first_at), array_agg(c.first_number),
      array_agg(c.upto_at), array_agg(c.upto_number), array_agg(c.lines),
      (select string_agg(m.figures, ' ') from (
        select concat_ws(' ', id, sum(sending), sum(sent), sum(receiving), sum(received), sum(swapped_out),
          sum(swapped_in)) as figures from moved group by id) m)
    into total, levels, ats, numbers, end_ats, end_numbers, counts, sums from counted c;
  loop
    -- Only those that the page is in.
    select array_agg(c.level), array_agg(c.at), array_agg(c.number), array_agg(c.end_at),
        array_agg(c.end_number), array_agg(c.lines), max(rest - c.through + c.lines)
      into levels, ats, numbers, end_ats, end_numbers, counts, rest
    from (select p.*, sum(p.lines) over (order by case when is_oldest_first then p.at end,
        case when is_oldest_first then p.number end, p.at desc, p.number desc) as through
      from unnest(levels, ats, numbers, end_ats, end_numbers, counts) as p (level, at, number, end_at,
        end_number, lines)
    ) c where c.lines > 0 and c.through > rest and c.through - c.lines < rest + size;
    exit when levels is null or 0 >= all (levels);
    -- In place of a node, those below it.
    select array_agg(c.level), array_agg(c.at), array_agg(c.number), array_agg(c.end_at),
        array_agg(c.end_number), array_agg(c.lines) into levels, ats, numbers, end_ats, end_numbers, counts
    from unnest(levels, ats, numbers, end_ats, end_numbers, counts) as p (level, at, number, end_at,
      end_number, lines)
    cross join lateral (
      select p.level, p.at, p.number, p.end_at, p.end_number, p.lines where p.level <= 0
      union all
      select b.level, b.first_at, b.first_number, b.upto_at, b.upto_number,
        ledger_kinds_matching(b.kinds, types, senders, receivers)
      from ledger_kinds_cover(list, p.at, p.number, p.end_at, p.end_number, p.level - 1) b where p.level > 0
    ) as c (level, at, number, end_at, end_number, lines);
  end loop;
  lines := ledger_find_lines(list, types, senders, receivers, ats, numbers, end_ats, end_numbers, rest, size,
    is_oldest_first);
end $$;
