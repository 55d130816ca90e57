-- Shows the head of chain 0 of the audit log under the name that it had before migration 0018.
-- Called by: tests only. Releases from before migration 0018 lock and update it.
-- Locks: chain 0 (`audit_lock_head`), until the transaction ends: reading the view is enough.
-- Costs: one row.
create or replace view audit_head as select true as singleton, h.id, h.hash from audit_lock_head() h;
