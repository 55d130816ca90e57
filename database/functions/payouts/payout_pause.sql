-- Returns `paused` if new payouts are stopped for everything, or for this network, partner or user; else
-- null.
-- Called by: `src/features/payouts/queries/pending.ts`.
-- Locks: nothing. What a worker locked before the pause was committed is still signed.
-- Costs: at most four rows by primary key, of a table that is nearly always empty.
create or replace function payout_pause(network text, partner_id uuid, user_id uuid) returns text
language sql stable as $$
  select case when exists (select from payout_pauses p
    where p.scope in ('everything', 'network:' || $1, 'partner:' || $2, 'user:' || $3)) then 'paused' end
$$;
