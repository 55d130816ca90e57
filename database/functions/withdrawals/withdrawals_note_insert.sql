-- Refuses new withdrawals that are not queued, and counts new ones. Notifies workers if one of the networks
-- had no queued withdrawal.
-- Called by: trigger `withdrawals_note_insert` on `withdrawals`, after each insert statement.
-- Locks: nothing. Transactions that notify commit one after another.
-- Costs: reads the added rows; one insert for each list and block of 4,000 positions; for each network, a
-- search by index for another queued withdrawal, which reads the added rows and one more.
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
  -- By index, newest first, because rows of the oldest are dead. As an anti join, the planner reads all that
  -- are queued: 8 ms with 14,000.
  if exists (select from (select distinct a.network from added a) n where (
      select w.id from withdrawals w where w.status = 'queued' and w.network = n.network
        and w.id not in (select id from added) order by w.id desc limit 1) is null) then
    perform pg_notify('withdrawals', '');
  end if;
  return null;
end $$;
