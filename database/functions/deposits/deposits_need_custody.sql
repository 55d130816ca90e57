-- A watcher of the release before, which reads every wallet, must not credit one of those either.
create or replace function deposits_need_custody() returns trigger language plpgsql as $$
begin
  if exists (select from user_wallets w where w.network = new.network and w.address = new.wallet and w.custody = 'self') then
    raise exception 'a deposit to a wallet in self custody is not credited' using errcode = 'restrict_violation';
  end if;
  return new;
end $$;
