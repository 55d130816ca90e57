-- Refuses a number for an audit row that is not above the head of its chain: `audit verify` reads a chain by
-- its numbers. The sequence is behind if rows were copied without it, as logical replication does.
-- Called by: `audit_append`, `audit_log_chain`.
-- Locks: nothing.
-- Costs: nothing.
create or replace function audit_refuse_number(head audit_chain_heads, number bigint) returns void
language plpgsql as $$
begin
  raise exception
    'audit log number % is not above %, the head of chain %: sequence audit_log_number is behind the log',
    number, head.id, head.chain
    using errcode = 'object_not_in_prerequisite_state',
      hint = 'Run: select setval(''audit_log_number'', (select max(id) from audit_log))';
end $$;
