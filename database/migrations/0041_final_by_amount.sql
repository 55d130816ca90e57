-- Why: operators find withdrawals by amount. Only final rows.
-- Outside a transaction, so that withdrawals go on while the index is built.
create index concurrently if not exists withdrawals_final_by_amount on withdrawals (decimals, amount) where status in ('completed', 'failed');
