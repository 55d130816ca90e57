-- Refuses to change the owner or the place of a row: it stays in the list where it was counted.
-- Called by: triggers `card_transactions_guard` on `card_transactions`, `cards_guard` on `cards`.
-- Locks: nothing.
-- Costs: nothing is read; it always raises an error.
create or replace function card_refuse_move() returns trigger language plpgsql as $$
begin
  raise exception 'rows of % keep their owner and their place', tg_table_name
    using errcode = 'restrict_violation';
end $$;
