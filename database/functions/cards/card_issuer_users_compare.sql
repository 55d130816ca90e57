create or replace function card_issuer_users_compare() returns trigger language plpgsql as $$
begin
  update card_refill_rules r set is_short = new.collateral < r.threshold
    where r.card_issuer_user_id = new.id and r.is_short <> (new.collateral < r.threshold);
  return null;
end $$;
