-- Returns how many long tails, and how many large nodes, one posting cuts at most; later postings cut the
-- others. A cut takes about 1 ms. With 10,000 users and a line each in every batch, all became large at once,
-- and no batch ended in time. A batch of 10,000 lines brings 157 cuts on average.
-- Called by: `ledger_count`, `ledger_count_late`, `ledger_long_tails`.
-- Locks: nothing.
-- Costs: nothing: a constant.
create or replace function ledger_cuts_max() returns integer language sql immutable as $$ select 256 $$;
