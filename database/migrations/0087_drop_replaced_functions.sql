-- Why: no process of the release before calls these functions, or reads the audit log's head by its old name.

drop function if exists ledger_post;
drop function if exists ledger_post_one;
drop function if exists ledger_post_each;
drop function if exists ledger_find_singles;
drop function if exists ledger_read_singles;
drop function if exists ledger_lock_heads;
drop function if exists ledger_number_lines;
drop function if exists ledger_write_lines;
drop function if exists ledger_chain_lines;
drop function if exists ledger_add_up_lines;
drop view if exists ledger_new_lines;
drop view if exists audit_head;
drop function if exists audit_head_replace;
drop function if exists audit_lock_head;
drop table if exists audit_head_before_0018;
