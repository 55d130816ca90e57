-- Instants are told and shown in milliseconds, and are asked for by what was shown.
create or replace function card_transactions_place() returns trigger language plpgsql as $$
begin
  select l.id into new.list_id from card_lists l
    where l.user_id = new.user_id and l.kind = 'transactions' and l.card_issuer_user_id is null;
  new.created_at := date_trunc('milliseconds', new.created_at);
  return new;
end $$;
