-- Why: the check of migration 0088 applies to the rows that were there before it, too.
alter table ledger_accounts validate constraint ledger_accounts_funds;
