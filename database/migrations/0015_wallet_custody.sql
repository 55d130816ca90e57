-- Why: a transfer to a wallet is the user's balance only where the platform holds the wallet's keys. Until now every wallet counted as
-- the platform's, so wallets that are here already stay `platform`: their users' balances change in nothing. An operator names those
-- whose keys the users hold by `users.add-wallet --custody self`.

-- The default is for processes of the release before, which do not know the column. The verb requires a value.
alter table user_wallets add column custody text not null default 'platform';
alter table user_wallets add constraint user_wallets_custody_check check (custody in ('platform', 'self')) not valid;

-- What is paid to a wallet whose keys the user holds has left our custody, whichever release made the withdrawal. The lock is that of
-- `users.add-wallet`: custody does not change between the resolution of a recipient and this insert without one seeing the other.
create function withdrawals_credit_custody() returns trigger language plpgsql as $$
begin
  perform pg_advisory_xact_lock_shared(hashtextextended('address ' || new.to_address, 0));
  if exists (select from user_wallets w where w.network = new.network and w.address = new.to_address and w.custody = 'self') then
    new.recipient_user_id := null;
  end if;
  return new;
end $$;
create trigger withdrawals_credit_custody before insert on withdrawals for each row
  when (new.recipient_user_id is not null) execute function withdrawals_credit_custody();

-- A watcher of the release before, which reads every wallet, must not credit one of those either.
create function deposits_need_custody() returns trigger language plpgsql as $$
begin
  if exists (select from user_wallets w where w.network = new.network and w.address = new.wallet and w.custody = 'self') then
    raise exception 'a deposit to a wallet in self custody is not credited' using errcode = 'restrict_violation';
  end if;
  return new;
end $$;
create trigger deposits_need_custody before insert on deposits for each row execute function deposits_need_custody();
