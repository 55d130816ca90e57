-- Writes lines, which have all of their columns, and their movements: the writing step of every posting. A
-- row is one of the table, so a column that a migration adds needs no change here.
-- Called by: `ledger_post_lines`, `ledger_post_single`.
-- Locks: nothing. The caller holds the rows of the lists.
-- Costs: one row a line and movement, by one statement; triggers.
create or replace function ledger_insert_lines(made ledger_lines[]) returns void
language plpgsql as $$
begin
  with added as (
    insert into ledger_lines select * from unnest(made)
      returning transaction_at, number, received_account_id, received_amount, sent_account_id, sent_amount
  )
  insert into ledger_movements (account_id, transaction_at, number, amount)
    select m.account_id, r.transaction_at, r.number, m.amount
    from added r,
      lateral (values (r.received_account_id, r.received_amount), (r.sent_account_id, -r.sent_amount)) as m
        (account_id, amount)
    where m.account_id is not null;
end $$;
