import type { Db } from '#platform/db/db';
import type { Member } from '#test/database/cluster';
import { countedPool, describe, noCounts } from './pools.ts';

const callers = 8;

/** Writes, each followed by a read that must find it. */
export async function measurePairs(
  primary: Member,
  replicas: readonly Member[],
  pairs: number,
): Promise<void> {
  const counts = { now: noCounts() };
  const pool = countedPool(primary, replicas, counts);
  await pool.query('create table bench_pairs (id bigint primary key)');
  let [next, stale] = [0, 0];
  const startedAt = performance.now();
  const call = async () => {
    while (next < pairs) {
      const id = next++;
      await pool.query('insert into bench_pairs values ($1)', [id]);
      if (!(await isSeen(pool.reading(), id))) stale += 1;
    }
  };
  await Promise.all(Array.from({ length: callers }, call));
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(0);
  console.log(
    `${pairs} writes, each read again, with one of two replicas two seconds late: ${stale} stale, in ${seconds} s; ${describe(counts.now)}`,
  );
  await pool.end();
}

const isSeen = async (db: Db, id: number) =>
  (await db.query('select 1 from bench_pairs where id = $1', [id])).length === 1;
