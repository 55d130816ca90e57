-- Why: totals of card transactions come from an index without the currency, so all must be in US dollars.

alter table card_transactions add constraint card_transactions_currency check (currency = 'USD') not valid;
