-- Returns whether a payment of exactly this withdrawal was found on chain. It must not be signed again, nor
-- fail.
-- Called by: `payout_slots_guard_owner`, `withdrawals_guard_move`, `withdrawals_apply_rules`,
-- `src/features/payouts/found/queries.ts`, `src/features/payouts/queries/attempts.ts`.
-- Locks: nothing.
-- Costs: the found payments of one withdrawal, by index.
create or replace function is_found_paid(w withdrawals) returns boolean language sql stable as $$
  select exists (select from found_payments f where f.withdrawal_id = w.id and f.network = w.network
    and f.token_address = w.token_address and f.to_address = w.to_address and f.amount = w.amount)
$$;
