-- Gives a transaction its list. Truncates its time to milliseconds, because times are shown, and searched
-- for, in milliseconds.
-- Called by: trigger `card_transactions_place` on `card_transactions`, before each insert.
-- Locks: nothing.
-- Costs: for each row, one list by index.
create or replace function card_transactions_place() returns trigger language plpgsql as $$
begin
  select l.id into new.list_id from card_lists l
    where l.user_id = new.user_id and l.kind = 'transactions' and l.card_issuer_user_id is null;
  new.created_at := date_trunc('milliseconds', new.created_at);
  return new;
end $$;
