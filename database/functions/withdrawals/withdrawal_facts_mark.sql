-- Returns what stands in a transfer's calldata in place of `withdrawal_key_mark` if the withdrawal has no
-- idempotency key: 16 bytes of a hash of the payment's amount, asset and recipient.
-- Called by: `src/features/payouts/queries/pending.ts`.
-- Locks: nothing.
-- Costs: one SHA-256.
create or replace function withdrawal_facts_mark(partner_id uuid, user_id uuid, network text,
  token_address text, to_address text, amount numeric) returns bytea language sql immutable as $$
  select substring(sha256(convert_to('facts ' || partner_id::text || ' ' || user_id::text || ' ' || network
    || ' ' || token_address || ' ' || to_address || ' ' || amount::text, 'UTF8')) for 16)
$$;
