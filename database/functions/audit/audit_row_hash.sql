create or replace function audit_row_hash(previous bytea, r audit_log) returns bytea
language sql stable as $$
  select sha256(previous || convert_to(
    jsonb_build_array(r.id, extract(epoch from r.at), r.actor_kind, r.actor_id, r.action, r.subject, r.before, r.after)::text,
    'UTF8'))
$$;
