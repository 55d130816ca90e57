-- Adds changes to the audit log, in their order, with their subjects by place. Returns the last row's id.
-- Called by: `src/features/audit/queries.ts`, `src/features/ledger/queries.ts`.
-- Locks: the chain (`audit_lock_head`), until the transaction ends.
-- Costs: one insert for each change; one delete and one insert of the head.
create or replace function audit_append(changes json, subjects text[]) returns bigint
language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
declare
  head audit_heads := audit_lock_head();
begin
  if json_array_length(changes) = 0 then return head.id; end if;
  with added as (
    insert into audit_log (id, at, actor_kind, actor_id, action, subject, before, after, hash)
      select r.id, r.at, r.actor_kind, r.actor_id, r.action, r.subject, r.before, r.after,
        hash_chain(head.hash, jsonb_build_array(r.id, extract(epoch from r.at), r.actor_kind, r.actor_id, r.action, r.subject, r.before,
          r.after)::text) over (order by r.id rows unbounded preceding)
      from (
        select head.id + c.place as id, c.at, c.actor_kind, c.actor_id, c.action, subjects[c.place] as subject, c.before, c.after
        from rows from (json_to_recordset(changes) as (at timestamptz, "actorKind" text, "actorId" text, action text, before jsonb,
          after jsonb)) with ordinality as c (at, actor_kind, actor_id, action, before, after, place)
      ) r
      returning id, hash
  ), replaced as (
    delete from audit_heads h where h.id = head.id
  )
  insert into audit_heads as h select * from added order by id desc limit 1 returning h.id into head.id;
  return head.id;
end $$;
