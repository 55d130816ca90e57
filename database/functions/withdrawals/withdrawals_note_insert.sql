-- Refuses new withdrawals that are not queued, and counts new ones. Notifies workers if one of the networks
-- had no queued withdrawal.
-- Called by: trigger `withdrawals_note_insert` on `withdrawals`, after each insert statement.
-- Locks: nothing. Transactions that notify commit one after another.
-- Costs: reads the added rows; one insert for each list and block of 4,000 positions; for each added row,
-- until one needs a notification, a search by index for another queued withdrawal.
create or replace function withdrawals_note_insert() returns trigger language plpgsql as $$
begin
  if exists (select from added where status <> 'queued') then
    raise exception 'a withdrawal begins as queued' using errcode = 'restrict_violation';
  end if;
  insert into withdrawal_count_changes (list_id, status, block, change)
    select list_id, status, position / 4000, count(*) from added group by 1, 2, 3;
  -- In the transaction of the insert: workers wake when it commits, and only then. Not where others are
  -- queued already, for which they are awake: transactions that notify commit one after another, and
  -- creations were a third as fast.
  if exists (select from added a where not exists (
      select from withdrawals w where w.status = 'queued' and w.network = a.network
        and w.id not in (select id from added))) then
    perform pg_notify('withdrawals', '');
  end if;
  return null;
end $$;
