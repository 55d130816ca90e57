-- The newest lines of some types before a place: what pages, CSV and PDF are read with. Each type is a scan of its own in the index
-- and stops by itself; without a limit in each, PostgreSQL sorts all that is left of the list. Lines after `last` were posted later.
create or replace function ledger_newest(in_list bigint, types ledger_line_type[], start_at timestamptz, hi_at timestamptz, hi_number bigint,
  last bigint, skip bigint, count bigint) returns setof ledger_lines
language sql stable as $$
  select * from (
    (select * from ledger_lines l where 'buy' = any (types) and l.list_id = in_list and l.type = 'buy'
      and (l.transaction_at, l.number) < (hi_at, hi_number) and l.transaction_at >= start_at and l.number <= last
      order by l.transaction_at desc, l.number desc limit skip + count)
    union all
    (select * from ledger_lines l where 'sell' = any (types) and l.list_id = in_list and l.type = 'sell'
      and (l.transaction_at, l.number) < (hi_at, hi_number) and l.transaction_at >= start_at and l.number <= last
      order by l.transaction_at desc, l.number desc limit skip + count)
    union all
    (select * from ledger_lines l where 'swap-bridge' = any (types) and l.list_id = in_list and l.type = 'swap-bridge'
      and (l.transaction_at, l.number) < (hi_at, hi_number) and l.transaction_at >= start_at and l.number <= last
      order by l.transaction_at desc, l.number desc limit skip + count)
    union all
    (select * from ledger_lines l where 'transfer-token' = any (types) and l.list_id = in_list and l.type = 'transfer-token'
      and (l.transaction_at, l.number) < (hi_at, hi_number) and l.transaction_at >= start_at and l.number <= last
      order by l.transaction_at desc, l.number desc limit skip + count)
  ) l order by l.transaction_at desc, l.number desc offset skip limit count
$$;
