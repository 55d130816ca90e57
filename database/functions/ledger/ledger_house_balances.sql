-- Shows what the house has of each asset, below zero where it owes: the stored figures and the unfolded
-- changes.
-- Called by: `src/features/ledger/verify/queries/accounts.ts`, `src/features/treasury/items/queries.ts`.
-- Locks: nothing.
-- Costs: reads one stored figure for each asset, and all changes that are not folded yet, with their
-- accounts.
create or replace view ledger_house_balances as
  select h.network, h.currency, sum(h.balance) as balance
  from (
    select network, currency, balance from ledger_house
    union all
    select a.network, a.currency, c.amount from ledger_house_changes c
      left join ledger_accounts a on a.id = c.account_id
  ) h group by h.network, h.currency;
