-- Why: operators page through the deposits of a user, newest first.
-- Outside a transaction, so that deposits go on while the index is built.
create index concurrently if not exists deposits_by_user on deposits (user_id, network, block_number);
