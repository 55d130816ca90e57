-- Adds changes to the audit log, in their order, with their subjects by place. Returns the last row's id.
-- Called by: `src/features/audit/queries.ts`, `src/features/ledger/queries/post.ts`.
-- Locks: one chain (`audit_lock_chain`), until the transaction ends.
-- Costs: one insert for each change; one delete and one insert of the head.
create or replace function audit_append(changes json, subjects text[]) returns bigint
language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
declare
  head audit_chain_heads := audit_lock_chain();
  first_id bigint;
  last_id bigint;
  last_hash bytea;
begin
  if json_array_length(changes) = 0 then return head.id; end if;
  with added as (
    insert into audit_log (id, at, actor_kind, actor_id, action, subject, before, after, chain, hash)
      select r.id, r.at, r.actor_kind, r.actor_id, r.action, r.subject, r.before, r.after, head.chain,
        hash_chain(head.hash, jsonb_build_array(r.id, extract(epoch from r.at), r.actor_kind, r.actor_id,
          r.action, r.subject, r.before, r.after)::text) over (order by r.id rows unbounded preceding)
      from (
        select nextval('audit_log_number') as id, c.at, c.actor_kind, c.actor_id, c.action,
          subjects[c.place] as subject, c.before, c.after
        from rows from (json_to_recordset(changes) as (at timestamptz, "actorKind" text, "actorId" text,
          action text, before jsonb, after jsonb)) with ordinality as c (at, actor_kind, actor_id, action,
          before, after, place)
      ) r
      returning id, hash
  )
  select min(a.id) over (), a.id, a.hash into strict first_id, last_id, last_hash from added a
    order by a.id desc limit 1;
  if first_id <= head.id then perform audit_refuse_number(head, first_id); end if;
  perform audit_move_head(head, last_id, last_hash);
  return last_id;
end $$;
