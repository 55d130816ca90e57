-- Appends what lines moved, with the opposite sign, to the changes of the house. A trigger does it, so that
-- every posting moves the house, whichever code writes it.
-- Called by: trigger `ledger_move_house` on `ledger_movements`, after each insert statement.
-- Locks: nothing: it only appends.
-- Costs: one insert for each movement, by one statement.
create or replace function ledger_move_house() returns trigger language plpgsql as $$
begin
  insert into ledger_house_changes (account_id, amount) select m.account_id, -m.amount from added m;
  return null;
end $$;
