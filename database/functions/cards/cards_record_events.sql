-- Records events of cards whose users have a partner's key: of new ones, and of changes that a partner can
-- see.
-- Called by: triggers `cards_record_new` and `cards_record_changes` on `cards`, after each statement.
-- Locks: nothing.
-- Costs: for each card, a search for a key by index, and one insert.
create or replace function cards_record_events() returns trigger language plpgsql as $$
declare
  first_record bigint;
begin
  if tg_op = 'INSERT' then
    with put as (
      insert into event_records (type, resource, user_id, facts)
      select 'card.created', 'card:' || a.id, a.user_id, jsonb_build_object('nickname', a.nickname,
        'last_four_digits', a.last_four_digits, 'status', a.status, 'spending_limit', a.spending_limit,
        'spending_interval', a.spending_interval)
      from added a where exists (select from api_keys k where k.user_id = a.user_id and k.revoked_at is null)
      order by a.id
      returning id)
    select min(id) into first_record from put;
  else
    with put as (
      insert into event_records (type, resource, user_id, previous_status, facts)
      select 'card.updated', 'card:' || a.id, a.user_id,
        case when b.status <> a.status then b.status::text end,
        jsonb_build_object('nickname', a.nickname, 'last_four_digits', a.last_four_digits, 'status', a.status,
          'spending_limit', a.spending_limit, 'spending_interval', a.spending_interval)
      from added a join before_rows b on b.id = a.id
      where (a.nickname, a.last_four_digits, a.status, a.spending_limit, a.spending_interval)
          is distinct from (b.nickname, b.last_four_digits, b.status, b.spending_limit, b.spending_interval)
        and exists (select from api_keys k where k.user_id = a.user_id and k.revoked_at is null)
      order by a.id
      returning id)
    select min(id) into first_record from put;
  end if;
  perform event_records_wake(first_record);
  return null;
end $$;
create or replace trigger cards_record_new after insert on cards referencing new table as added
  for each statement execute function cards_record_events();
create or replace trigger cards_record_changes after update on cards
  referencing old table as before_rows new table as added
  for each statement execute function cards_record_events();
