-- Records the address of a wallet in self custody. The record stays if the wallet is replaced or removed.
-- Called by: trigger `user_wallets_note_self_custody` on `user_wallets`, after each row.
-- Locks: the row of the address, if another transaction inserts the same one.
-- Costs: for a wallet in self custody, one insert; for others, nothing.
create or replace function user_wallets_note_self_custody() returns trigger language plpgsql as $$
begin
  insert into self_custody_addresses (address)
  select distinct w.address
    from (values (old.address, old.custody), (new.address, new.custody)) as w (address, custody)
  where w.custody = 'self'
  on conflict do nothing;
  return null;
end $$;
create or replace trigger user_wallets_note_self_custody after insert or update or delete on user_wallets
  for each row execute function user_wallets_note_self_custody();
