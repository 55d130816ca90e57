// One worker process of a chaos run. Its orders come as one line on standard input; when that ends, so does
// the process.
import { appendFileSync, writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { createEvm } from '#adapters/evm';
import { createScreening } from '#adapters/screening';
import type { Deps } from '#context';
import { type AtStep, payoutJobs } from '#features/payouts';
import { createPool } from '#platform/db/db';
import { createLog } from '#platform/observe/log';
import { systemClock } from '#platform/values/clock';
import { runJobs } from '#platform/worker/jobs';
import { readOrders, type WorkerOrders } from './worker-orders.ts';

/**
 * A worker lives for seconds here, and not for weeks: the next one leads soon after a kill, and all have
 * turns beside it.
 */
const leadTiming = { leadMs: 1_000, believeMs: 250, standbyMs: 1_000 };

let mayDie = true;
const lines = createInterface({ input: process.stdin });
lines.on('line', (line) => {
  if (line === 'live') mayDie = false;
  else void work(readOrders(line));
});
lines.once('close', () => process.exit());

async function work(orders: WorkerOrders): Promise<void> {
  const { databaseUrl, logFile, network, dieAt, mutant, isReplicationSynchronous = false } = orders;
  const log = createLog({
    level: 'info',
    destination: { write: (text) => appendFileSync(logFile, text) },
  }).child({ worker: process.pid });
  let hits = 0;
  const atStep: AtStep = (step) => {
    if (!mayDie || !dieAt?.steps.includes(step)) return;
    hits += 1;
    if (hits < dieAt.hit) return;
    writeSync(process.stdout.fd, `died at ${step}\n`);
    process.kill(process.pid, 'SIGKILL');
  };
  const deps = {
    db: createPool({ url: databaseUrl, connectionsMax: 6, statementTimeoutMs: 5_000, log }),
    clock: systemClock,
    log,
    evm: createEvm([network]),
    screening: createScreening(undefined),
    isReplicationSynchronous: isReplicationSynchronous || mutant === 'signs on after a promotion',
    // Of no use here, and a third of the time that a worker takes to start.
    metrics: { noteJob: () => {}, countJob: () => {} },
  } as unknown as Deps;
  const jobs = mutant
    ? (await import('./mutant-jobs.ts')).mutantJobs(mutant, deps, atStep)
    : payoutJobs(atStep);
  runJobs(jobs, deps, undefined, leadTiming);
  writeSync(process.stdout.fd, 'started\n');
}
