-- Refuses to change the time at which something was revoked, used or ended.
-- Called by: triggers `integration_keys_stay_revoked` on `integration_keys`, `integrations_stay_revoked` on
-- `integrations`, `sign_in_links_stay_used` on `sign_in_links`, `user_sessions_stay_ended` on
-- `user_sessions`.
-- Locks: nothing.
-- Costs: nothing is read; it always raises an error.
create or replace function refuse_reopening() returns trigger language plpgsql as $$
begin
  raise exception 'a row of % that has ended cannot change', tg_table_name
    using errcode = 'restrict_violation';
end $$;
