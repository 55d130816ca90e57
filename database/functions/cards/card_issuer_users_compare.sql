-- Sets whether an account's collateral is below the threshold of its refill rule.
-- Called by: trigger `card_issuer_users_compare` on `card_issuer_users`, after each change of `collateral`.
-- Locks: the rule's row, if it changes. The caller's update holds the account's row.
-- Costs: for each row, one rule read and at most one updated.
create or replace function card_issuer_users_compare() returns trigger language plpgsql as $$
begin
  update card_refill_rules r set is_short = new.collateral < r.threshold
    where r.card_issuer_user_id = new.id and r.is_short <> (new.collateral < r.threshold);
  return null;
end $$;
