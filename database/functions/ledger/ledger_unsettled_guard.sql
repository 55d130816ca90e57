-- Refuses to change the place or the identity of an unsettled record, or the status of a rejected or canceled
-- one.
-- Called by: trigger `ledger_unsettled_guard` on `ledger_unsettled`, before each update.
-- Locks: nothing.
-- Costs: no table is read.
create or replace function ledger_unsettled_guard() returns trigger language plpgsql as $$
begin
  if (new.list_id, new.number, new.transaction_at, new.type, new.operation_id, new.leg, new.unique_hash_id,
    new.withdrawal_id)
    is distinct from
     (old.list_id, old.number, old.transaction_at, old.type, old.operation_id, old.leg, old.unique_hash_id,
       old.withdrawal_id)
  then
    raise exception 'an unsettled record keeps its place and its identity'
      using errcode = 'restrict_violation';
  end if;
  if old.status in ('rejected', 'canceled') and new.status is distinct from old.status then
    raise exception 'a % record is final', old.status using errcode = 'restrict_violation';
  end if;
  return new;
end $$;
