-- Locks the settled or unsettled lists of users, and creates missing ones; returns their ids, in order. Most
-- calls are about one user, and for one a plain look-up is enough.
-- Called by: `ledger_note_completed_withdrawals`, `ledger_note_new_withdrawals`,
-- `src/features/ledger/queries/accounts.ts`, `src/features/ledger/unsettled/queries.ts`.
-- Locks: the lists, in order of id. Missing ones are created before, in order of user (key share on users).
-- Costs: one list for one user; for several, two statements: one look-up by index for each; if one is
-- missing, a third with at most one insert for each.
create or replace function ledger_lock_lists(users uuid[], settled boolean) returns bigint[]
language plpgsql as $$
declare
  list bigint;
  lists bigint[];
begin
  if cardinality(users) = 1 then
    select l.id into list from ledger_lists l where l.user_id = users[1]
      and l.is_settled = settled for update;
    if found then return array[list]; end if;
  end if;
  -- Lists are never deleted, so those that are found may be locked later.
  lists := array(select l.id from ledger_lists l where l.user_id = any (users) and l.is_settled = settled);
  if cardinality(lists) < cardinality(users) then
    -- In one order, and before anything is locked: another transaction that makes the same list waits for
    -- this one.
    insert into ledger_lists (user_id, is_settled, last_hash)
      select u, settled, case when settled then ledger_first_hash(u) end from unnest(users) u
      where not exists (select from ledger_lists l where l.user_id = u and l.is_settled = settled)
      order by u on conflict do nothing;
    lists := array(select l.id from ledger_lists l where l.user_id = any (users) and l.is_settled = settled);
  end if;
  return array(select l.id from ledger_lists l where l.id = any (lists) order by l.id for update);
end $$;
