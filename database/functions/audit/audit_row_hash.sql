-- Hashes an audit row after the previous hash. `audit_append` hashes the same columns.
-- Called by: `audit_log_chain`, `src/features/audit/queries.ts`.
-- Locks: nothing.
-- Costs: one SHA-256.
create or replace function audit_row_hash(previous bytea, r audit_log) returns bytea
language sql stable as $$
  select sha256(previous || convert_to(
    jsonb_build_array(r.id, extract(epoch from r.at), r.actor_kind, r.actor_id, r.action, r.subject, r.before,
      r.after)::text,
    'UTF8'))
$$;
