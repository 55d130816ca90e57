-- Returns a withdrawal's amount with 18 decimals, so that amounts of one currency on several networks add up.
-- Rounds up if the token has more.
-- Called by: `rules_admit`, `rules_ruling`, `rules_count_page`, `rules_replay`.
-- Locks: nothing.
-- Costs: one multiplication.
create or replace function rules_units(amount numeric, decimals smallint) returns numeric
  language sql immutable as $$
  select case when decimals <= 18 then trunc(amount * 10::numeric ^ (18 - decimals))
    else ceil(amount / 10::numeric ^ (decimals - 18)) end
$$;
