-- Notes when withdrawals entered a status, and counts the moves. A status that is entered again keeps its
-- first time.
-- Called by: trigger `withdrawals_note_moves` on `withdrawals`, after each update statement.
-- Locks: rows of `withdrawal_moves` whose status is entered again. The caller's update holds the withdrawals.
-- Costs: reads the old and the new rows; one upsert for each move, one insert for each list, status and block
-- of 4,000 positions whose count changes.
create or replace function withdrawals_note_moves() returns trigger language plpgsql as $$
begin
  insert into withdrawal_moves (withdrawal_id, status, at)
    select id, status, max(at) from (
      select id, status, updated_at as at, 1 as side from after_rows
      union all
      select id, status, null, -1 from before_rows
    ) sides group by id, status having sum(side) = 1
    on conflict (withdrawal_id, status) do update set at = withdrawal_moves.at;
  if found then
    insert into withdrawal_count_changes (list_id, status, block, change)
      select list_id, status, block, sum(change) from (
        select list_id, status, position / 4000 as block, 1 as change from after_rows
        union all
        select list_id, status, position / 4000, -1 from before_rows
      ) moves group by 1, 2, 3 having sum(change) <> 0;
  end if;
  return null;
end $$;
