-- Why: operators list the withdrawals to an address. Only final rows.
-- Outside a transaction, so that withdrawals go on while the index is built.
create index concurrently if not exists withdrawals_final_by_address on withdrawals (to_address, id) where status in ('completed', 'failed');
