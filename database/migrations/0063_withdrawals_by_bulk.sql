-- Why: the withdrawals of a bulk payment share their bulk id, so that it needs an index that is not unique.
-- Outside a transaction, so that withdrawals go on while the index is built.
create index concurrently if not exists withdrawals_bulk on withdrawals (bulk_id);
