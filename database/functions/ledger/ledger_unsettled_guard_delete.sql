-- Refuses to delete an unsettled record that is not in the ledger: it would be lost from both.
-- Called by: trigger `ledger_unsettled_guard_delete` on `ledger_unsettled`, before each delete.
-- Locks: nothing.
-- Costs: for each row, one list and one posting, by index.
create or replace function ledger_unsettled_guard_delete() returns trigger language plpgsql as $$
begin
  if not exists (select from ledger_lists l
      join ledger_postings p on p.kind = case when old.withdrawal_id is null then 'settle'
      else 'withdrawal' end
        and p.operation_id = case when old.withdrawal_id is null then l.user_id || ':' else '' end
        || old.operation_id
      where l.id = old.list_id) then
    raise exception 'an unsettled record leaves by being settled' using errcode = 'restrict_violation';
  end if;
  return old;
end $$;
