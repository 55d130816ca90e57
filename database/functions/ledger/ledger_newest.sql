-- Returns the newest lines of some types before a place, for pages, CSV and PDF. Each type is a separate
-- index scan with a limit; without it, PostgreSQL sorts the rest of the list. Lines after `last` were posted
-- later.
-- Called by: `ledger_lines_page`, `ledger_page`, `src/features/ledger/lines/queries/batch.ts`.
-- Locks: nothing.
-- Costs: for each type, at most `skip` + `count` lines, and those after `last` that it passes.
create or replace function ledger_newest(in_list bigint, types ledger_line_type[], start_at timestamptz,
  hi_at timestamptz, hi_number bigint, last bigint, skip bigint, count bigint) returns setof ledger_lines
language sql stable as $$
  select * from (
    (select * from ledger_lines l where 'buy' = any (types) and l.list_id = in_list and l.type = 'buy'
      and (l.transaction_at, l.number) < (hi_at, hi_number) and l.transaction_at >= start_at
      and l.number <= last
      order by l.transaction_at desc, l.number desc limit skip + count)
    union all
    (select * from ledger_lines l where 'sell' = any (types) and l.list_id = in_list and l.type = 'sell'
      and (l.transaction_at, l.number) < (hi_at, hi_number) and l.transaction_at >= start_at
      and l.number <= last
      order by l.transaction_at desc, l.number desc limit skip + count)
    union all
    (select * from ledger_lines l where 'swap-bridge' = any (types) and l.list_id = in_list
      and l.type = 'swap-bridge'
      and (l.transaction_at, l.number) < (hi_at, hi_number) and l.transaction_at >= start_at
      and l.number <= last
      order by l.transaction_at desc, l.number desc limit skip + count)
    union all
    (select * from ledger_lines l where 'transfer-token' = any (types) and l.list_id = in_list
      and l.type = 'transfer-token'
      and (l.transaction_at, l.number) < (hi_at, hi_number) and l.transaction_at >= start_at
      and l.number <= last
      order by l.transaction_at desc, l.number desc limit skip + count)
  ) l order by l.transaction_at desc, l.number desc offset skip limit count
$$;
