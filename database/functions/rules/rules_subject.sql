-- Returns whose sum a withdrawal adds to, for a rule that sums per partner, user, key, destination or network,
-- or over everything. Each currency has a sum.
-- Called by: `rules_admit`, `rules_recheck`, `rules_count_past`.
-- Locks: nothing.
-- Costs: a concatenation.
create or replace function rules_subject(w withdrawals, sum_per text) returns text language sql immutable as $$
  select w.currency || ' ' || case sum_per
    when 'partner' then w.partner_id::text
    when 'user' then w.user_id::text
    when 'key' then w.key_id
    when 'destination' then w.to_address
    when 'network' then w.network
    else 'all' end
$$;
