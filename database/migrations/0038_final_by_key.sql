-- Why: operators list the withdrawals of a key, and the audit log lists them. Only final rows.
-- Outside a transaction, so that withdrawals go on while the index is built.
create index concurrently if not exists withdrawals_final_by_key on withdrawals (key_id, id) where status in ('completed', 'failed');
