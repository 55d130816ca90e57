-- What is paid to a wallet whose keys the user holds has left our custody, whichever release made the withdrawal. The lock is that of
-- `users.add-wallet`: custody does not change between the resolution of a recipient and this insert without one seeing the other.
create or replace function withdrawals_credit_custody() returns trigger language plpgsql as $$
begin
  perform pg_advisory_xact_lock_shared(hashtextextended('address ' || new.to_address, 0));
  if exists (select from user_wallets w where w.network = new.network and w.address = new.to_address and w.custody = 'self') then
    new.recipient_user_id := null;
  end if;
  return new;
end $$;
