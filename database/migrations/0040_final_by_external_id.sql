-- Why: operators find withdrawals by the label of any partner. Only final rows that have one.
-- Outside a transaction, so that withdrawals go on while the index is built.
create index concurrently if not exists withdrawals_final_by_external_id on withdrawals (external_id, id)
  where status in ('completed', 'failed') and external_id is not null;
