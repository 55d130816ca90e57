-- With their account, so that no two who write a user's first rows wait for each other.
create or replace function card_lists_open() returns trigger language plpgsql as $$
begin
  insert into card_lists (user_id, kind, card_issuer_user_id)
    values (new.user_id, 'transactions', null), (new.user_id, 'movements', null), (new.user_id, 'movements', new.id)
    on conflict do nothing;
  return null;
end $$;
