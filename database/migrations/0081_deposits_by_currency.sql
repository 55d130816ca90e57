-- Why: operators page through the deposits of a currency; a rare one must not mean reading all the others.
-- Outside a transaction, so that deposits go on while the index is built.
create index concurrently if not exists deposits_by_currency on deposits (network, currency, block_number);
