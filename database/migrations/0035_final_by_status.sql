-- Why: operators list withdrawals by status or network. Only final rows, which never change, so an index costs a withdrawal one entry.
-- Outside a transaction, so that withdrawals go on while the index is built.
create index concurrently if not exists withdrawals_final on withdrawals (status, network, id) where status in ('completed', 'failed');
