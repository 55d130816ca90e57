create or replace function payout_signers_guard() returns trigger language plpgsql as $$
begin
  if new.next_nonce < old.next_nonce then
    raise exception 'a nonce is given once' using errcode = 'restrict_violation';
  end if;
  return new;
end $$;
