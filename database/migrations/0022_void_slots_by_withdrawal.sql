-- Why: a withdrawal goes back to pending only if a nonce of it is void, which a trigger looks up.
-- Outside a transaction, so that payouts go on while the index is built.

create index concurrently if not exists payout_slots_void on payout_slots (void_of) where void_of is not null;
