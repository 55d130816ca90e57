-- Returns users' settled lists and their accounts of one asset each, by place; fewer if some are missing.
-- It looks up user by user: a plan that was made while there were few lists may read all of them.
-- Kept for processes of the release before: a later migration drops it with `ledger_post_each`.
-- Called by: `ledger_post_each`.
-- Locks: nothing.
-- Costs: two look-ups by index for each user.
create or replace function ledger_find_singles(users uuid[], networks text[], currencies text[],
  out lists bigint[], out accounts bigint[])
language plpgsql as $$
begin
  select array_agg(l.id order by u.place), array_agg(a.id order by u.place) into lists, accounts
    from unnest(users, networks, currencies) with ordinality as u (id, network, currency, place)
    cross join lateral (select l.id from ledger_lists l where l.user_id = u.id and l.is_settled offset 0) l
    cross join lateral (
      select a.id from ledger_accounts a where a.user_id = u.id and a.network = u.network
        and a.currency = u.currency offset 0) a;
end $$;
