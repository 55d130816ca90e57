-- Returns what a transfer's calldata says about its withdrawal, after its id: 16 bytes of a hash over the
-- partner and its idempotency key. A partner's id is random, so nobody can guess keys from the chain.
-- Called by: `src/features/payouts/queries/pending.ts`, `src/features/payouts/found/queries.ts`,
-- `src/features/withdrawals/queries/idempotency.ts`.
-- Locks: nothing.
-- Costs: one SHA-256.
create or replace function withdrawal_key_mark(partner_id uuid, idempotency_key text) returns bytea
  language sql immutable as $$
  select substring(sha256(convert_to('key ' || partner_id::text || ' ' || idempotency_key, 'UTF8')) for 16)
$$;
