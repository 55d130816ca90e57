-- Sets whether the account's collateral is below the threshold of a rule that is written. A writer of a rule
-- locks the account's row first, and a change of the collateral locks it too, so each sees the other.
-- Called by: trigger `card_refill_rules_compare` on `card_refill_rules`, before each insert or update of
-- `threshold`.
-- Locks: nothing. The caller holds the account's row.
-- Costs: for each row, one account by index.
create or replace function card_refill_rules_compare() returns trigger language plpgsql as $$
begin
  select a.collateral < new.threshold into strict new.is_short from card_issuer_users a
    where a.id = new.card_issuer_user_id;
  return new;
end $$;
