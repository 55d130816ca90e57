-- Clears the recipient of a withdrawal to a wallet in self custody: what is paid there leaves our custody,
-- whichever release made the withdrawal.
-- Called by: trigger `withdrawals_credit_custody` on `withdrawals`, before each insert with a recipient.
-- Locks: advisory lock `address <to>`, shared, until the transaction ends. `users.add-wallet` takes it
-- exclusively, so custody does not change unseen between the resolution of a recipient and this insert.
-- Costs: for each row, one wallet by index.
create or replace function withdrawals_credit_custody() returns trigger language plpgsql as $$
begin
  perform pg_advisory_xact_lock_shared(hashtextextended('address ' || new.to_address, 0));
  if exists (select from user_wallets w where w.network = new.network and w.address = new.to_address
      and w.custody = 'self') then
    new.recipient_user_id := null;
  end if;
  return new;
end $$;
