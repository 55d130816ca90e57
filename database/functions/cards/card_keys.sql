-- Returns the rows of a list from one place up to another, in no order.
-- Called by: `card_cut`.
-- Locks: nothing.
-- Costs: reads the rows in the range, by one index range.
create or replace function card_keys(list card_lists, lo_at timestamptz, lo_number bigint, hi_at timestamptz,
  hi_number bigint)
returns table (created_at timestamptz, number bigint)
language plpgsql stable rows 500 as $$
begin
  if list.kind = 'transactions' then
    return query select t.created_at, t.number from card_transactions t where t.list_id = list.id
      and (t.created_at, t.number) >= (lo_at, lo_number) and (t.created_at, t.number) < (hi_at, hi_number);
  elsif list.card_issuer_user_id is null then
    return query select m.created_at, m.number from card_movements m where m.user_id = list.user_id
      and (m.created_at, m.number) >= (lo_at, lo_number) and (m.created_at, m.number) < (hi_at, hi_number);
  else
    return query select m.created_at, m.number from card_movements m
      where m.card_issuer_user_id = list.card_issuer_user_id
      and (m.created_at, m.number) >= (lo_at, lo_number) and (m.created_at, m.number) < (hi_at, hi_number);
  end if;
end $$;
