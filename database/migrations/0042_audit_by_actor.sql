-- Why: operators list what an actor did.
-- Outside a transaction, so that changes go on while the index is built.
create index concurrently if not exists audit_log_actor on audit_log (actor_id, id);
