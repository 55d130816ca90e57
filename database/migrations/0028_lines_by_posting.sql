-- Why: the treasury reads the lines since the last comparison; they are only appended, so an index of ranges costs a posting nothing.
-- Outside a transaction, so that postings go on while it is built.
create index concurrently if not exists ledger_lines_by_posting on ledger_lines using brin (posting_id) with (autosummarize = on);
