-- Notes when withdrawals entered a status, counts the moves, and records their events. A status that is
-- entered again keeps its first time.
-- Called by: trigger `withdrawals_note_moves` on `withdrawals`, after each update statement.
-- Locks: rows of `withdrawal_moves` whose status is entered again. The caller's update holds the withdrawals.
-- Costs: reads the old and the new rows; one upsert and one insert for each move, one insert for each list,
-- status and block of 4,000 positions whose count changes.
create or replace function withdrawals_note_moves() returns trigger language plpgsql as $$
declare
  first_record bigint;
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
    with put as (
      insert into event_records (type, resource, partner_id, previous_status, facts, recorded_at)
      select 'withdrawal.' || a.status, 'withdrawal:' || a.id, a.partner_id, b.status,
        jsonb_build_object('status', a.status, 'transfer_status', a.transfer_status, 'transaction_hash', a.transaction_hash,
          'error_message', a.error_message, 'updated_at', a.updated_at), a.updated_at
      from after_rows a join before_rows b on b.id = a.id where b.status <> a.status order by a.id
      returning id)
    select min(id) into first_record from put;
    perform event_records_wake(first_record);
  end if;
  return null;
end $$;
