-- Why: operators list the changes of a period; it finds the ids at its ends.
-- Outside a transaction, so that changes go on while the index is built.
create index concurrently if not exists audit_log_at on audit_log (at);
