-- Returns the settled lists of users, who must differ, by place; creates missing ones. It looks up user by
-- user: a plan made while there were few lists may read all of them.
-- Called by: `ledger_post_lines`.
-- Locks: nothing. Missing ones are created in order of user (key share on users).
-- Costs: one look-up by index for each user; if one is missing, two more and at most one insert for each.
create or replace function ledger_find_lists(users uuid[]) returns bigint[]
language plpgsql as $$
declare
  lists bigint[];
begin
  for attempt in 1..2 loop
    lists := array(select l.id from unnest(users) with ordinality as u (id, place)
      cross join lateral (select l.id from ledger_lists l where l.user_id = u.id and l.is_settled offset 0) l
      order by u.place);
    exit when cardinality(lists) = cardinality(users);
    -- In one order, and before anything is locked: another transaction that makes the same list waits for
    -- this one.
    insert into ledger_lists (user_id, is_settled, last_hash)
      select u, true, ledger_first_hash(u) from unnest(users) u
      where not exists (select from ledger_lists l where l.user_id = u and l.is_settled)
      order by u on conflict do nothing;
  end loop;
  return lists;
end $$;
