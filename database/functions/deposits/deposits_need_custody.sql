-- Refuses a deposit to a wallet in self custody, even if a process of an older release watches every wallet.
-- Called by: trigger `deposits_need_custody` on `deposits`, before each insert.
-- Locks: nothing.
-- Costs: for each row, one wallet by index.
create or replace function deposits_need_custody() returns trigger language plpgsql as $$
begin
  if exists (select from user_wallets w where w.network = new.network and w.address = new.wallet
      and w.custody = 'self') then
    raise exception 'a deposit to a wallet in self custody is not credited'
      using errcode = 'restrict_violation';
  end if;
  return new;
end $$;
