-- Refuses what could pay a nonce twice. A nonce leaves its withdrawal in two ways only: another final
-- transaction used it, or its bytes were never sent. What is final stays.
-- Called by: trigger `payout_slots_guard` on `payout_slots`, before each update.
-- Locks: nothing.
-- Costs: for a slot that becomes void, the attempts of its nonce; for one that opens again, at most one found
-- payment.
create or replace function payout_slots_guard() returns trigger language plpgsql as $$
begin
  if old.state = 'final' or (new.network, new.address, new.nonce) is distinct from (old.network, old.address,
      old.nonce) then
    raise exception 'a slot keeps its nonce and withdrawal, and a final slot cannot change'
      using errcode = 'restrict_violation';
  end if;
  if old.state = 'open' and new.state = 'void' then
    if new.void_of is distinct from old.withdrawal_id or exists (select from payout_attempts a
        where (a.network, a.address, a.nonce) = (old.network, old.address, old.nonce) and not a.is_void
          and (new.mined_hash is null and a.sends > 0 or a.hash = new.mined_hash)) then
      raise exception
        'a slot is void only if another transaction used its nonce, or nothing was ever sent for it'
        using errcode = 'restrict_violation';
    end if;
  elsif old.state = 'void' and new.state = 'open' then
    -- Used on chain: it becomes the slot of the withdrawal that this transaction paid. Never used: of any
    -- other.
    if old.mined_hash is not null and not exists (select from found_payments f
        where f.hash = old.mined_hash and f.withdrawal_id = new.withdrawal_id) then
      raise exception 'a nonce that is used on chain belongs to the withdrawal that was paid by it'
        using errcode = 'restrict_violation';
    end if;
  elsif new.withdrawal_id is distinct from old.withdrawal_id then
    raise exception 'a slot keeps its nonce and withdrawal, and a final slot cannot change'
      using errcode = 'restrict_violation';
  end if;
  return new;
end $$;
