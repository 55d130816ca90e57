import pg from 'pg';
import { createPartner } from '#features/partners';
import { createPool } from '#platform/db/db';
import { quietNetworks } from './history/world.ts';
import { type Bench, measureRate, median } from './measure.ts';
import { createWorld, operatorContext } from './withdrawals/world.ts';

const roundMs = 1_000;
const rounds = 7;
const sampleMs = 20;
const most = 32;

/**
 * Audited changes a second by one caller and by 32, on as many connections, and how many sessions wait for a
 * lock meanwhile: writers of the audit log must not wait for each other's commits.
 */
export const run: Bench = async ({ databaseUrl, log }) => {
  const db = createPool({ url: databaseUrl, connectionsMax: most, statementTimeoutMs: 60_000, log });
  const world = await createWorld({ db, databaseUrl }, { networks: quietNetworks(), users: 1 });
  const observer = new pg.Client({ connectionString: databaseUrl });
  await observer.connect();
  const write = () => createPartner(operatorContext(world.deps), { name: 'Bench' });
  try {
    for (const callers of [1, most]) {
      const rates: number[] = [];
      const waiting: number[] = [];
      for (let round = -2; round < rounds; round++) {
        const sampler = setInterval(async () => waiting.push(await countWaiting(observer)), sampleMs);
        const rate = await measureRate(write, roundMs, callers);
        clearInterval(sampler);
        if (round < 0) waiting.length = 0;
        else rates.push(rate);
      }
      const mean = waiting.reduce((sum, count) => sum + count, 0) / waiting.length;
      const perSecond = Math.round(median(rates));
      console.log(
        `audited changes by ${callers} callers: ${perSecond}/s, ${mean.toFixed(1)} sessions wait for a lock`,
      );
    }
  } finally {
    await observer.end();
    await world.stop();
    await db.end();
  }
};

async function countWaiting(observer: pg.Client): Promise<number> {
  const { rows } = await observer.query<{ count: number }>(
    `select count(*)::integer as count from pg_stat_activity
     where datname = current_database() and wait_event_type = 'Lock'`,
  );
  return rows[0]!.count;
}
