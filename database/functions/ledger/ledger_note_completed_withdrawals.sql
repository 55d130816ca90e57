-- Removes completed withdrawals from the unsettled records. Refuses a completed one that is not in the
-- ledger.
-- Called by: trigger `ledger_note_completed_withdrawals` on `withdrawals`, after each update statement.
-- Locks: the users' unsettled lists, in order of id, then the records and the nodes that counted them.
-- Costs: reads the updated rows; for each completed one, one posting and one delete; for each list, one
-- `ledger_count_unsettled`.
create or replace function ledger_note_completed_withdrawals() returns trigger language plpgsql as $$
declare
  gone record;
begin
  if not exists (select from after_rows where status = 'completed') then return null; end if;
  if exists (select from after_rows a where a.status = 'completed'
      and not exists (select from ledger_postings p where p.kind = 'withdrawal'
        and p.operation_id = a.id::text)) then
    raise exception 'a completed withdrawal is in the ledger' using errcode = 'restrict_violation';
  end if;
  perform ledger_lock_lists(array(select distinct user_id from after_rows where status = 'completed'), false);
  for gone in
    with taken as (
      delete from ledger_unsettled u using after_rows a where a.status = 'completed'
        and u.withdrawal_id = a.id
      returning u.list_id, u.type, u.transaction_at, u.number)
    select list_id, array_agg(type) as types, array_agg(transaction_at) as ats, array_agg(number) as numbers
    from taken group by list_id
  loop
    perform ledger_count_unsettled(gone.list_id, gone.types, gone.ats, gone.numbers, -1);
  end loop;
  return null;
end $$;
