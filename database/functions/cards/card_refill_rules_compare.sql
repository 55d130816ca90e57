-- Whoever writes a rule has its account locked before, as whoever changes the collateral has.
create or replace function card_refill_rules_compare() returns trigger language plpgsql as $$
begin
  select a.collateral < new.threshold into strict new.is_short from card_issuer_users a where a.id = new.card_issuer_user_id;
  return new;
end $$;
