import { networks } from '#adapters/evm';
import { isDecidedInSql } from '#features/payouts';
import type { Db } from '#platform/db/db';

/** Adds appended changes to the counts; concurrent readers see the same sums. */
export async function foldCountChanges(db: Db, limit = 20_000): Promise<number> {
  const [row] = await db.query<{ folded: number }>(
    `with folded as (
       delete from withdrawal_count_changes
       where ctid = any (array(select ctid from withdrawal_count_changes limit $1))
       returning list_id, status, block, change),
     added as (
       insert into withdrawal_counts (list_id, status, block, count)
       select list_id, status, block, sum(change) from folded group by 1, 2, 3 having sum(change) <> 0
       on conflict (list_id, status, block) do update set count = withdrawal_counts.count + excluded.count)
     select count(*)::integer as folded from folded`,
    [limit],
  );
  return row!.folded;
}

/**
 * Counts of each state. Totals are updated when changes are folded, every few seconds; up to 10,000 unfolded
 * changes are added, so that a scrape has a fixed cost.
 */
export async function countByStatus(db: Db): Promise<{ status: string; count: bigint }[]> {
  return db.query<{ status: string; count: bigint }>(
    `select status, sum(count) as count from (
       select status, count from withdrawal_totals
       union all
       select status, change from (select status, change from withdrawal_count_changes limit 10000) newest
     ) counted group by status`,
  );
}

interface QueueRow extends Record<string, unknown> {
  network: string;
  status: string;
  waiting: bigint;
  /** Null if all wait because people decided so. */
  ageSeconds: number | null;
}

/**
 * Queue of each network and state: the count, up to 10,000, and the age of the oldest of as many, which has
 * the lowest id. Those that wait for an approval, a pause or a suspension have no age: people know of them.
 */
export async function selectOldest(db: Db): Promise<QueueRow[]> {
  // Repeat the partial index's predicate literally, or the planner ignores it.
  const inQueue = `w.status in ('queued', 'pending', 'processing') and w.status = s.status and w.network = n.network`;
  return db.query<QueueRow>(
    `select n.network, s.status, counted.waiting,
       extract(epoch from now() - oldest.created_at)::double precision as "ageSeconds"
     from unnest($1::text[]) as n (network)
     cross join unnest(array['queued', 'pending', 'processing']) as s (status)
     cross join lateral (
       select count(*) as waiting from (select from withdrawals w where ${inQueue} limit 10000) few) counted
     left join lateral (
       select created_at from (select w.id, w.created_at, w.waiting_for from withdrawals w where ${inQueue} order by w.id limit 10000) few
       where not coalesce(${isDecidedInSql}, false) order by id limit 1) oldest on true
     where counted.waiting > 0`,
    [networks],
  );
}
