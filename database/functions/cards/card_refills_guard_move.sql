-- Refuses what could pay a refill twice. A payment belongs to one attempt of one refill, and the next attempt
-- needs that payment to have failed. So an account received exactly the sum of its completed refills.
-- Called by: trigger `card_refills_guard_move` on `card_refills`, before each update.
-- Locks: nothing.
-- Costs: for each status that moves, one withdrawal; for a new payment, also its account and the house
-- partner.
create or replace function card_refills_guard_move() returns trigger language plpgsql as $$
declare
  payment withdrawals;
begin
  if (new.id, new.card_issuer_user_id, new.user_id, new.number, new.amount, new.network, new.currency,
      new.created_at)
    is distinct from
     (old.id, old.card_issuer_user_id, old.user_id, old.number, old.amount, old.network, old.currency,
      old.created_at) then
    raise exception 'the amount and recipient of a refill cannot change' using errcode = 'restrict_violation';
  end if;
  if old.status in ('completed', 'failed') then
    raise exception 'a % refill is final', old.status using errcode = 'restrict_violation';
  end if;
  if new.status <> old.status
      and (old.status, new.status) not in (('queued', 'processing'), ('queued', 'failed'),
      ('processing', 'queued'), ('processing', 'completed'), ('processing', 'failed')) then
    raise exception 'a refill does not move from % to %', old.status, new.status
      using errcode = 'restrict_violation';
  end if;
  if new.retries <> old.retries + (old.status = 'processing' and new.status = 'queued')::integer then
    raise exception 'a retry is counted when a payment has failed' using errcode = 'restrict_violation';
  end if;
  if new.withdrawal_id is distinct from old.withdrawal_id
      and not (old.status = 'queued' and new.status = 'processing') then
    raise exception 'a refill keeps its payment' using errcode = 'restrict_violation';
  end if;
  if new.status = old.status or old.status = 'queued' and new.status = 'failed' then return new; end if;
  select * into payment from withdrawals w where w.id = new.withdrawal_id;
  if new.status = 'processing' then
    if not exists (
        select from partners p, card_issuer_users a where p.is_house and p.id = payment.partner_id
          and a.id = new.card_issuer_user_id
          and payment.idempotency_key = 'refill:' || new.id || ':' || new.retries
          and (payment.user_id, payment.network, payment.currency, payment.to_address)
            = (new.user_id, new.network, new.currency, a.collateral_address)
          and payment.amount * 100 = new.amount * 10::numeric ^ payment.decimals) then
      raise exception 'a refill is paid by the withdrawal of its attempt: same user, address and amount'
        using errcode = 'restrict_violation';
    end if;
  elsif new.status = 'completed' then
    if payment.status is distinct from 'completed'
        or payment.transaction_hash is distinct from new.transaction_hash then
      raise exception 'a refill is completed by a completed payment' using errcode = 'restrict_violation';
    end if;
  elsif payment.status is distinct from 'failed' then
    raise exception 'a refill is tried again, or fails, when its payment has failed'
      using errcode = 'restrict_violation';
  end if;
  return new;
end $$;
