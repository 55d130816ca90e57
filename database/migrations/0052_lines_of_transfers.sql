-- Why: the history tool names the other user of a transfer, whose line is of the same posting and operation.
-- Outside a transaction, so that postings go on while the index is built.
create index concurrently if not exists ledger_lines_of_transfers on ledger_lines (posting_id, operation_id)
  where type = 'transfer-token';
