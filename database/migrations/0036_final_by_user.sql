-- Why: operators list the withdrawals of a user. Only final rows; open ones are in withdrawals_open.
-- Outside a transaction, so that withdrawals go on while the index is built.
create index concurrently if not exists withdrawals_final_by_user on withdrawals (user_id, id) where status in ('completed', 'failed');
