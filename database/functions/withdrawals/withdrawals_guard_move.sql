-- Refuses what could pay a withdrawal twice or lose it. Amount, asset, recipient and requester do not change.
-- A withdrawal is processing only with a nonce, and pending again only if that nonce is void. Once signed, it
-- ends only with a final transaction. Unsigned, it does not fail if its payment was found on chain. Sets the
-- hot wallet that pays it, which stays for life unless a payment by another one was found on chain.
-- Called by: trigger `withdrawals_guard_move` on `withdrawals`, before each update.
-- Locks: nothing.
-- Costs: for each row whose status moves, at most two look-ups by index, of slots and found payments.
create or replace function withdrawals_guard_move() returns trigger language plpgsql as $$
begin
  if (new.id, new.bulk_id, new.list_id, new.position, new.partner_id, new.user_id, new.network, new.currency,
      new.token_address, new.decimals, new.amount, new.to_address, new.recipient_user_id, new.created_at,
      new.key_id, new.caller_address, new.request_id)
    is distinct from
     (old.id, old.bulk_id, old.list_id, old.position, old.partner_id, old.user_id, old.network, old.currency,
      old.token_address, old.decimals, old.amount, old.to_address, old.recipient_user_id, old.created_at,
      old.key_id, old.caller_address, old.request_id) then
    raise exception 'the amount, recipient and requester of a withdrawal cannot change'
      using errcode = 'restrict_violation';
  end if;
  new.hot_wallet := old.hot_wallet;
  if new.status = old.status then
    if old.status in ('completed', 'failed') then
      raise exception 'a % withdrawal is final', old.status using errcode = 'restrict_violation';
    end if;
    return new;
  end if;
  if (old.status, new.status) not in (('queued', 'pending'), ('queued', 'failed'), ('pending', 'processing'),
      ('pending', 'failed'), ('processing', 'completed'), ('processing', 'failed'), ('processing', 'pending'))
        then
    raise exception 'a withdrawal does not move from % to %', old.status, new.status
      using errcode = 'restrict_violation';
  end if;
  -- Once signed, only what is final on chain decides.
  if new.status = 'processing' then
    select s.address into new.hot_wallet from payout_slots s where s.withdrawal_id = new.id;
    if not found then
      raise exception 'a withdrawal is not processing before its nonce is stored'
        using errcode = 'restrict_violation';
    end if;
    if old.hot_wallet <> new.hot_wallet and not exists (select from found_payments f
        where f.withdrawal_id = new.id and f.address = new.hot_wallet) then
      raise exception 'a withdrawal stays with the hot wallet that has signed it'
        using errcode = 'restrict_violation';
    end if;
  end if;
  if new.status = 'pending' and old.status = 'processing' then
    new.hot_wallet := coalesce(old.hot_wallet,
      (select s.address from payout_slots s where s.void_of = new.id limit 1));
    if exists (select from payout_slots s where s.withdrawal_id = new.id)
        or not exists (select from payout_slots s where s.void_of = new.id) then
      raise exception 'a withdrawal does not move from processing to pending unless its nonce is void'
        using errcode = 'restrict_violation';
    end if;
    return new;
  end if;
  if old.status = 'processing' and not exists (
      select from payout_slots s where s.withdrawal_id = new.id and s.state = 'final'
        and s.mined_hash is not distinct from new.transaction_hash) then
    raise exception 'a signed withdrawal ends only with a final transaction'
      using errcode = 'restrict_violation';
  end if;
  if new.status = 'failed' and old.status <> 'processing'
      and (exists (select from payout_slots s where s.withdrawal_id = new.id) or is_found_paid(new)) then
    raise exception 'a signed withdrawal ends only with a final transaction'
      using errcode = 'restrict_violation';
  end if;
  return new;
end $$;
