-- Returns the kinds of the lines of a settled list from one place up to another, and what each kind moves.
-- Called by: `ledger_kinds_cover`, `ledger_kinds_fill`,
-- `src/features/ledger/verify/queries/nodes.ts`.
-- Locks: nothing.
-- Costs: reads the lines in the range, one index range for each type.
create or replace function ledger_kinds_between(in_list bigint, lo_at timestamptz, lo_number bigint,
  hi_at timestamptz, hi_number bigint)
returns ledger_kind[]
language sql stable as $$
  select coalesce(array_agg(row(k.type, k.sent_account_id, k.received_account_id, k.lines, k.sent,
    k.received)::ledger_kind), '{}')
  from (
    select t.type, l.sent_account_id, l.received_account_id, count(*) as lines, sum(l.sent_amount) as sent,
      sum(l.received_amount) as received
    from unnest(enum_range(null::ledger_line_type)) as t (type), lateral (
      select s.sent_account_id, s.received_account_id, s.sent_amount, s.received_amount from ledger_lines s
      where s.list_id = in_list and s.type = t.type
        and (s.transaction_at, s.number) >= (lo_at, lo_number)
        and (s.transaction_at, s.number) < (hi_at, hi_number)) l
    group by t.type, l.sent_account_id, l.received_account_id) k
$$;
