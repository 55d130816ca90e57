-- Why: operators list the withdrawals of a partner. Only final rows.
-- Outside a transaction, so that withdrawals go on while the index is built.
create index concurrently if not exists withdrawals_final_by_partner on withdrawals (partner_id, id) where status in ('completed', 'failed');
