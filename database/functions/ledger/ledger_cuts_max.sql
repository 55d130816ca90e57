-- How many tails and nodes that have become large are cut by one posting, which takes about a millisecond each: of ten thousand users
-- with a line each in every batch, all became large at once, and no batch for them ended in time. The others are cut by later
-- postings; a batch of 10,000 lines brings 157 of them on average.
create or replace function ledger_cuts_max() returns integer language sql immutable as $$ select 256 $$;
