import type { Db } from '#platform/db/db';

/**
 * Deletes what no window reaches any more: payments, counters that were not used since, and verdicts that
 * allowed. Returns whether there may be more.
 */
export async function sweepCounts(db: Db, before: Date, limit: number): Promise<boolean> {
  const [row] = await db.query<{ isFull: boolean }>(
    `with old as (
       select s.counter_id, s.at from rule_counters c
       cross join lateral (select s.counter_id, s.at from rule_spends s where s.counter_id = c.id and s.at < $1 limit $2) s limit $2),
     spends as (
       delete from rule_spends s using old o where s.counter_id = o.counter_id and s.at = o.at returning s.counter_id, s.at),
     returns as (
       delete from rule_returns r using spends s where r.counter_id = s.counter_id and r.at = s.at),
     counters as (
       delete from rule_counters c where c.id = any (array(
         select u.id from rule_counters u where u.last_at < $1
           and not exists (select from rule_spends s where s.counter_id = u.id) limit $2 for update skip locked))),
     verdicts as (
       delete from rule_verdicts v where v.withdrawal_id = any (array(
         select o.withdrawal_id from rule_verdicts o
         where o.withdrawal_id < uuidv7($1::timestamptz - now()) and o.verdict = 'allow'
           and not exists (select from withdrawals w where w.id = o.withdrawal_id and w.status in ('queued', 'pending', 'processing'))
         limit $2)) returning 1)
     select (select count(*) from spends) >= $2 or (select count(*) from verdicts) >= $2 as "isFull"`,
    [before, limit],
  );
  return row!.isFull;
}
