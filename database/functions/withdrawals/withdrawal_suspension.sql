-- Returns why a withdrawal that is not signed yet must wait: its user, its partner or its key is suspended.
-- Null if none of them is.
-- Called by: `src/features/payouts/queries/pending.ts`.
-- Locks: nothing. A payout that is being signed while somebody is suspended is still paid.
-- Costs: three rows by primary key.
create or replace function withdrawal_suspension(partner_id uuid, user_id uuid, key_id text) returns text
language sql stable as $$
  select case
    when exists (select from users u where u.id = $2 and u.suspended_at is not null) then 'user suspended'
    when exists (select from partners p where p.id = $1 and p.suspended_at is not null)
      then 'partner suspended'
    when exists (select from api_keys k where k.id = $3 and k.suspended_at is not null) then 'key suspended'
  end
$$;
