create or replace view audit_head as select true as singleton, h.id, h.hash from audit_lock_head() h;
