-- Why: the rows from before the constraint are checked without a lock that stops writers.

alter table card_transactions validate constraint card_transactions_currency;
