-- Every posting moves the house: by a trigger, so that calls that began before this migration do so, too. By statement, however many
-- lines it has.
create or replace function ledger_move_house() returns trigger language plpgsql as $$
begin
  insert into ledger_house_changes (account_id, amount) select m.account_id, -m.amount from added m;
  return null;
end $$;
