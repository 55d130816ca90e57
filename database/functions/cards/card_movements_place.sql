-- Gives a movement its number: its sequence, then the account's number. Truncates its time to milliseconds,
-- because times are shown, and searched for, in milliseconds.
-- Called by: trigger `card_movements_place` on `card_movements`, before each insert.
-- Locks: nothing.
-- Costs: for each row, one account by index.
create or replace function card_movements_place() returns trigger language plpgsql as $$
begin
  select new.sequence::bigint << 32 | a.number into new.number from card_issuer_users a
    where a.id = new.card_issuer_user_id;
  new.created_at := date_trunc('milliseconds', new.created_at);
  return new;
end $$;
