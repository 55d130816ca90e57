-- Creates an account's lists together with the account, so that writers of a user's first rows do not wait
-- for each other.
-- Called by: trigger `card_lists_open` on `card_issuer_users`, after each insert.
-- Locks: the user and the account, for key share (foreign keys). Waits if another transaction creates the
-- same lists.
-- Costs: for each row, at most three inserts.
create or replace function card_lists_open() returns trigger language plpgsql as $$
begin
  insert into card_lists (user_id, kind, card_issuer_user_id)
    values (new.user_id, 'transactions', null), (new.user_id, 'movements', null),
      (new.user_id, 'movements', new.id)
    on conflict do nothing;
  return null;
end $$;
