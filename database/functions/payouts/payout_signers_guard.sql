-- Refuses to lower a signer's next nonce: each nonce is given out once.
-- Called by: trigger `payout_signers_guard` on `payout_signers`, before each update.
-- Locks: nothing.
-- Costs: no table is read.
create or replace function payout_signers_guard() returns trigger language plpgsql as $$
begin
  if new.next_nonce < old.next_nonce then
    raise exception 'a nonce is given once' using errcode = 'restrict_violation';
  end if;
  return new;
end $$;
