// One worker process of the crash test of refills: payouts, the issuer's events and refills. Its orders come
// as one line on standard input; when that ends, so does the process.
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { createEvm, type NetworkSettings } from '#adapters/evm';
import { createHttpIssuer } from '#adapters/issuer';
import { createScreening } from '#adapters/screening';
import type { Deps } from '#context';
import { makeRefillJobs, type RefillStep } from '#features/cards/refills';
import { type PayoutStep, payoutJobs } from '#features/payouts';
import { createPool } from '#platform/db/db';
import { createLog } from '#platform/observe/log';
import { systemClock } from '#platform/values/clock';
import { runJobs } from '#platform/worker/jobs';
import { cardJobs } from '../../src/features/cards/jobs.ts';

export interface RefillOrders {
  databaseUrl: string;
  logFile: string;
  network: NetworkSettings;
  issuer: { url: string; token: string };
  /** Ends itself with SIGKILL when it comes to this step. */
  dieAt?: RefillStep | PayoutStep;
}

const lines = createInterface({ input: process.stdin });
lines.once('line', (line) => work(JSON.parse(line, reviveBigint)));
lines.once('close', () => process.exit());

function reviveBigint(_: string, value: unknown): unknown {
  return typeof value === 'string' && /^\d+n$/.test(value) ? BigInt(value.slice(0, -1)) : value;
}

function work({ databaseUrl, logFile, network, issuer, dieAt }: RefillOrders): void {
  const log = createLog({
    level: 'info',
    destination: { write: (text) => appendFileSync(logFile, text) },
  }).child({ worker: process.pid });
  const atStep = (step: RefillStep | PayoutStep) => {
    if (step === dieAt) process.kill(process.pid, 'SIGKILL');
  };
  const deps = {
    db: createPool({ url: databaseUrl, connectionsMax: 6, statementTimeoutMs: 60_000, log }),
    clock: systemClock,
    log,
    evm: createEvm([network]),
    screening: createScreening(undefined),
    issuer: createHttpIssuer({ ...issuer, timeoutMs: 60_000 }),
    metrics: { noteJob: () => {}, countJob: () => {} },
  } as unknown as Deps;
  const jobs = [...payoutJobs(atStep), ...cardJobs, ...makeRefillJobs(atStep)];
  runJobs(
    jobs.map((job) => ({ ...job, everyMs: 200 })),
    deps,
    // Workers are killed again and again, and each time the next one waits for the lease to end.
    { leaseMs: 3_000, turnMsMax: 60_000 },
  );
}
