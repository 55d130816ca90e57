-- Returns whose sum a withdrawal adds to, for a rule that sums per partner, user, key, destination or
-- network, or over everything. Each currency has a sum.
-- Called by: `rules_admit`, `rules_ruling`, `rules_count_page`.
-- Locks: nothing.
-- Costs: a concatenation; per key also `rules_key_root`.
create or replace function rules_subject(w withdrawals, sum_per text) returns text language sql stable as $$
  select w.currency || ' ' || case sum_per
    when 'partner' then w.partner_id::text
    when 'user' then w.user_id::text
    when 'key' then rules_key_root(w.key_id)
    when 'destination' then w.to_address
    when 'network' then w.network
    else 'all' end
$$;
