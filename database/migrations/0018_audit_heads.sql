-- Why: the head of the audit log was one row that every audited write updated. While a snapshot is open, its old versions cannot be
-- removed, and each write walked over all of them: after 30,000 writes beside a dump, 83/s were left of 950/s.

-- Writers take turns by an advisory lock, and each replaces the head by a row with a higher id, which the index finds first however
-- many dead ones lie below it. Kept apart from the log, so that audit.verify sees when the newest rows of the log are gone.
create table audit_heads (
  id bigint primary key,
  hash bytea not null
);

-- Waits for audited writes that are under way; later ones wait for this migration.
lock table audit_head;
insert into audit_heads (id, hash) select id, hash from audit_head;

-- Locks the chain until the transaction ends and returns its head. The lock comes first: the next statement must see what its last
-- holder has committed. The number is the lock's name. A sequential scan, which suits the one row that there is when a connection makes
-- its plan, would walk over the dead ones later.
create function audit_lock_head() returns audit_heads
language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
declare
  head audit_heads;
begin
  perform pg_advisory_xact_lock(4711204019);
  select * into strict head from audit_heads order by id desc limit 1;
  return head;
end $$;

-- As before: adds changes in their order, of these subjects. Holds the one lock of the chain until the transaction ends. Returns the
-- last row's id.
create or replace function audit_append(changes json, subjects text[]) returns bigint
language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
declare
  head audit_heads := audit_lock_head();
begin
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

-- As before, for rows that come without a hash.
create or replace function audit_log_chain() returns trigger
language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
declare
  head audit_heads := audit_lock_head();
begin
  new.id := head.id + 1;
  new.hash := audit_row_hash(head.hash, new);
  delete from audit_heads h where h.id = head.id;
  insert into audit_heads values (new.id, new.hash);
  return new;
end $$;

-- Processes of the release before read the head by its old name, and calls that waited for this migration also lock and update it
-- there. The table stays under another name, since those calls have a variable of its type. The next migration may drop all of this.
alter table audit_head rename to audit_head_before_0018;
create view audit_head as select true as singleton, h.id, h.hash from audit_lock_head() h;
create function audit_head_replace() returns trigger language plpgsql as $$
begin
  delete from audit_heads h where h.id = old.id;
  insert into audit_heads values (new.id, new.hash);
  return new;
end $$;
create trigger audit_head_replace instead of update on audit_head for each row execute function audit_head_replace();
