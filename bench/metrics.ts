import { performance } from 'node:perf_hooks';
import { noIssuer } from '#adapters/issuer';
import { noPrices } from '#adapters/prices';
import type { Deps } from '#context';
import { createMetrics } from '#platform/observe/metrics';
import { systemClock } from '#platform/values/clock';
import { gauges } from '../src/app.ts';
import { type Bench, median } from './measure.ts';

const lists = 1_000_000;

/**
 * A scrape of `/metrics` after four million counts of withdrawals, against the sum of them that each scrape
 * once was.
 */
export const run: Bench = async ({ db, log }) => {
  const deps = {
    db,
    log,
    clock: systemClock,
    evm: new Map(),
    issuer: noIssuer,
    prices: noPrices,
  } as unknown as Deps;
  const states = ['completed', 'failed', 'pending', 'queued'];
  for (const status of states) {
    await db.query(
      'insert into withdrawal_counts (list_id, status, block, count) select n, $1, 0, 1 from generate_series(1, $2) n',
      [status, lists],
    );
  }
  await db.query('vacuum analyze withdrawal_counts');
  const metrics = createMetrics();
  metrics.addGauges(gauges, deps);
  const scrape = await timeOf(() => metrics.registry.metrics());
  const sum = await timeOf(() =>
    db.query('select status, sum(count) from withdrawal_counts group by status'),
  );
  console.log(
    `a scrape: ${scrape.toFixed(1)} ms (limit 50 ms); the sum of ${states.length * lists} counts: ${sum.toFixed(0)} ms`,
  );
};

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < 9; round++) {
    const startedAt = performance.now();
    await work();
    times.push(performance.now() - startedAt);
  }
  return median(times.slice(2));
}
