-- The hash before the first row of a chain of the audit log. It differs for each chain, so that no row can be
-- moved to another chain.
-- Called by: `audit_lock_chain`, `src/features/audit/queries.ts`.
-- Locks: nothing.
-- Costs: one SHA-256.
create or replace function audit_first_hash(chain smallint) returns bytea language sql immutable as $$
  select sha256(convert_to('causeway audit log' || case when chain = 0 then '' else ' ' || chain end, 'UTF8'))
$$;
