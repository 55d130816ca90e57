-- Records an event for each withdrawal of a partner whose status moves, or that begins to wait for approval,
-- with the columns that moves replace.
-- Called by: trigger `withdrawals_record_moves` on `withdrawals`, after each update statement.
-- Locks: nothing.
-- Costs: reads the old and the new rows; for each move, the partner by primary key, and one insert.
create or replace function withdrawals_record_moves() returns trigger language plpgsql as $$
declare
  first_record bigint;
begin
  with put as (
    insert into event_records (type, resource, partner_id, previous_status, facts, recorded_at)
    select case when a.status <> b.status then 'withdrawal.' || a.status
      else 'withdrawal.approval_requested' end, 'withdrawal:' || a.id, a.partner_id,
      nullif(b.status, a.status), jsonb_build_object('status', a.status, 'transfer_status', a.transfer_status,
      'transaction_hash', a.transaction_hash,
        'error_message', a.error_message, 'updated_at', a.updated_at), a.updated_at
    from after_rows a join before_rows b on b.id = a.id and (b.status <> a.status
      or a.waiting_for = 'approval' and b.waiting_for is distinct from 'approval')
    where not exists (select from partners p where p.id = a.partner_id and p.is_house) order by a.id
    returning id)
  select min(id) into first_record from put;
  perform event_records_wake(first_record);
  return null;
end $$;
create or replace trigger withdrawals_record_moves after update on withdrawals
  referencing old table as before_rows new table as after_rows
    for each statement execute function withdrawals_record_moves();
