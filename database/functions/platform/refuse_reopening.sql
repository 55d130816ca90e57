-- What was ended stays so, from that instant on.
create or replace function refuse_reopening() returns trigger language plpgsql as $$
begin
  raise exception 'what ended in % stays as it ended', tg_table_name using errcode = 'restrict_violation';
end $$;
