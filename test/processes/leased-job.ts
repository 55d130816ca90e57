// A worker of the tests of jobs, to be frozen: its one job writes a row every few milliseconds, in one turn
// without an end.
import { setTimeout as sleep } from 'node:timers/promises';
import { createPool } from '#platform/db/db';
import { createLog } from '#platform/observe/log';
import type { Metrics } from '#platform/observe/metrics';
import { runJobs } from '#platform/worker/jobs';

const [, , databaseUrl, leaseMs] = process.argv;
const outcomes: string[] = [];
const log = createLog({ level: 'silent' });
const db = createPool({
  url: databaseUrl!,
  connectionsMax: 3,
  connectTimeoutMs: 60_000,
  statementTimeoutMs: 5_000,
  log,
});
const metrics = {
  noteJob: () => {},
  countJob: (_job: string, outcome: string) => outcomes.push(outcome),
} as Partial<Metrics> as Metrics;
const jobs = runJobs(
  [
    {
      name: 'frozen',
      everyMs: 3_600_000,
      run: async ({ db }) => {
        for (;;) {
          await db.query(`insert into job_rows (by) values ('child')`);
          await sleep(5);
        }
      },
    },
  ],
  { db, log, metrics },
  { leaseMs: Number(leaseMs), turnMsMax: 600_000 },
);
const timer = setInterval(async () => {
  if (outcomes.length === 0) return;
  clearInterval(timer);
  await jobs.stop();
  await db.end();
  process.send!(outcomes, () => process.disconnect());
}, 20);
