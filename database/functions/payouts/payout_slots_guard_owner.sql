-- Refuses a nonce for a withdrawal whose payment was found on chain, unless a found payment used this nonce.
-- Called by: trigger `payout_slots_guard_owner` on `payout_slots`, before each insert or update of
-- `withdrawal_id`.
-- Locks: nothing.
-- Costs: for each row, one withdrawal and its found payments, by index.
create or replace function payout_slots_guard_owner() returns trigger language plpgsql as $$
begin
  if new.withdrawal_id is not null
      and exists (select from found_payments f join withdrawals w on w.id = f.withdrawal_id
      where f.withdrawal_id = new.withdrawal_id and is_found_paid(w)
      and not exists (select from found_payments o where o.withdrawal_id = new.withdrawal_id
        and (o.network, o.address, o.nonce) = (new.network, new.address, new.nonce))) then
    raise exception 'a payment that was found on chain is not made again'
      using errcode = 'restrict_violation';
  end if;
  return new;
end $$;
