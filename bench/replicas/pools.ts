import { createPool, type Pool } from '#platform/db/db';
import { type Why, withReplicas } from '#platform/db/replicas';
import { createLog } from '#platform/observe/log';
import type { Member } from '#test/database/cluster';

const log = createLog({ level: 'silent' });

export const poolOf = ({ postgres }: Member, isReplica = false): Pool =>
  createPool({
    url: postgres.url('causeway'),
    isReplica,
    connectionsMax: 10,
    statementTimeoutMs: 60_000,
    log,
  });

/** Statements that a replica may answer, and what reached the primary server. */
export interface Counts {
  replica: number;
  primary: number;
  why: Partial<Record<Why, number>>;
  /** Statements and transactions on the primary server, questions for its place among them. */
  calls: number;
}

export const noCounts = (): Counts => ({ replica: 0, primary: 0, why: {}, calls: 0 });

/** A pool with replicas that counts into `counts.now`. */
export function countedPool(primary: Member, replicas: readonly Member[], counts: { now: Counts }): Pool {
  return withReplicas(countCalls(poolOf(primary), counts), {
    replicas: replicas.map((one) => poolOf(one, true)),
    isSynchronous: false,
    log,
    count(server, why) {
      counts.now[server] += 1;
      if (why) counts.now.why[why] = (counts.now.why[why] ?? 0) + 1;
    },
  });
}

const countCalls = (pool: Pool, counts: { now: Counts }): Pool => {
  const count =
    <A extends unknown[], T>(call: (...args: A) => T) =>
    (...args: A): T => {
      counts.now.calls += 1;
      return call(...args);
    };
  return {
    ...pool,
    query: count(pool.query) as Pool['query'],
    transaction: count(pool.transaction) as Pool['transaction'],
    onConnection: count(pool.onConnection) as Pool['onConnection'],
  };
};

export function describe({ replica, primary, why }: Counts): string {
  const reasons = Object.entries(why).map(([reason, count]) => `${reason} ${count}`);
  const share = ((primary * 100) / Math.max(1, replica + primary)).toFixed(2);
  return `answered by replicas ${replica}, by the primary server ${primary} (${share} %${reasons.length > 0 ? `: ${reasons.join(', ')}` : ''})`;
}
