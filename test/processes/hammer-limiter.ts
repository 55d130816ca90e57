// A separate process for the tests of the PostgreSQL limiter: asks for admission as fast as it can, on
// several connections, from a signal until the time is up, and reports how often it was admitted and refused.
import { createPool } from '#platform/db/db';
import { createLog } from '#platform/observe/log';
import { createPostgresLimiter, type RatePolicy } from '#platform/rate-limit/index';

export interface HammerOrder {
  policy: RatePolicy;
  subject: string;
  durationMs: number;
}

export interface HammerReport {
  admitted: number;
  refused: number;
}

const connections = 4;
const db = createPool({
  url: process.argv[2]!,
  connectionsMax: connections,
  connectTimeoutMs: 60_000,
  lockTimeoutMs: 60_000,
  statementTimeoutMs: 60_000,
  log: createLog({ level: 'silent' }),
});
const limiter = createPostgresLimiter(db);
const inParallel = (work: () => Promise<unknown>) => Promise.all(Array.from({ length: connections }, work));

process.on('message', async ({ policy, subject, durationMs }: HammerOrder) => {
  const report: HammerReport = { admitted: 0, refused: 0 };
  const endAt = performance.now() + durationMs;
  await inParallel(async () => {
    while (performance.now() < endAt) {
      const { admitted } = await limiter.admit(policy, subject);
      report[admitted ? 'admitted' : 'refused'] += 1;
    }
  });
  process.send!(report);
});
process.on('disconnect', () => void db.end());

await inParallel(() => db.query('select pg_sleep(0.05)'));
process.send!('ready');
