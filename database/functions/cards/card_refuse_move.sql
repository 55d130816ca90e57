-- Rows whose place in a list would change are refused: what was counted once stays where it was counted.
create or replace function card_refuse_move() returns trigger language plpgsql as $$
begin
  raise exception 'rows of % keep their owner and their place', tg_table_name using errcode = 'restrict_violation';
end $$;
