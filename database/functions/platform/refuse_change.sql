-- Refuses to change or remove rows of an append-only table, or to delete rows that must stay.
-- Called by: triggers `<table>_append_only`, `<table>_no_delete` and `<table>_no_truncate` in
-- `database/schema.sql`.
-- Locks: nothing.
-- Costs: nothing is read; it always raises an error.
create or replace function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% is append-only', tg_table_name using errcode = 'restrict_violation';
end $$;
