-- Refuses to change signed bytes, or to make a void attempt valid again.
-- Called by: trigger `payout_attempts_guard` on `payout_attempts`, before each update.
-- Locks: nothing.
-- Costs: no table is read.
create or replace function payout_attempts_guard() returns trigger language plpgsql as $$
begin
  if (new.hash, new.network, new.address, new.nonce, new.raw) is distinct from
     (old.hash, old.network, old.address, old.nonce, old.raw) or old.is_void and not new.is_void then
    raise exception 'signed bytes do not change' using errcode = 'restrict_violation';
  end if;
  return new;
end $$;
