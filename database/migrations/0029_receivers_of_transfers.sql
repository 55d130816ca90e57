-- Why: a token that takes a fee makes several transfers in the transaction of one payout. Only the one to the recipient is the
-- payout, so the comparison must know who received each transfer.
alter table treasury_items add column receiver text;
