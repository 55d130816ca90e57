-- Locks the settled lists of users, who must differ, and returns them by place; creates missing ones. It
-- looks up user by user: a plan made while there were few lists may read all of them.
-- Kept for processes of the release before: a later migration drops it with `ledger_post`.
-- Called by: `ledger_post`.
-- Locks: the lists, in order of id. Missing ones are created before, in order of user (key share on users).
-- Costs: one list for one user; for several, at most four look-ups by index and one insert for each.
create or replace function ledger_lock_heads(users uuid[]) returns ledger_lists[]
language plpgsql as $$
declare
  head ledger_lists;
begin
  if cardinality(users) = 1 then
    select * into head from ledger_lists l where l.user_id = users[1] and l.is_settled for update;
    if found then return array[head]; end if;
  end if;
  -- In one order, and before anything is locked: another transaction that makes the same list waits for this
  -- one.
  if (select count(*) from ledger_lists l where l.user_id = any (users) and l.is_settled) < cardinality(users)
      then
    insert into ledger_lists (user_id, is_settled, last_hash)
      select u, true, ledger_first_hash(u) from unnest(users) u
      where not exists (select from ledger_lists l where l.user_id = u and l.is_settled)
      order by u on conflict do nothing;
  end if;
  return (
    with found as materialized (
      select u.place, l.id from unnest(users) with ordinality as u (id, place)
      cross join lateral (select l.id from ledger_lists l where l.user_id = u.id and l.is_settled offset 0) l
        order by l.id
    )
    select array_agg(k.l order by f.place) from found f
    cross join lateral (select l from ledger_lists l where l.id = f.id for update) k);
end $$;
