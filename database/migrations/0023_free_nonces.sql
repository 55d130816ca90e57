-- Why: void nonces whose bytes never left are given again, lowest first.
-- Outside a transaction, so that payouts go on while the index is built.

create index concurrently if not exists payout_slots_free on payout_slots (network, address, nonce) where state = 'void';
