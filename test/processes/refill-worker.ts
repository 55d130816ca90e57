// One worker process of the crash test of refills: payouts, the issuer's events and refills. Its orders come as one line on standard
// input; when that ends, so does the process.
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { cardJobs } from '../../src/cards/jobs.ts';
import { makeRefillJobs, type RefillStep } from '../../src/cards/refills/index.ts';
import type { Deps } from '../../src/context.ts';
import { createEvm, type NetworkSettings } from '../../src/evm/index.ts';
import { createHttpIssuer } from '../../src/issuer/index.ts';
import { type PayoutStep, payoutJobs } from '../../src/payouts/index.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { createPool } from '../../src/platform/db.ts';
import { runJobs } from '../../src/platform/jobs.ts';
import { createLog } from '../../src/platform/log.ts';
import { createScreening } from '../../src/screening/index.ts';

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
    metrics: { countJob: () => {} },
  } as unknown as Deps;
  const jobs = [...payoutJobs(atStep), ...cardJobs, ...makeRefillJobs(atStep)];
  runJobs(
    jobs.map((job) => ({ ...job, everyMs: 200 })),
    deps,
    // Workers are killed again and again, and each time the next one waits for the lease to end.
    { leaseMs: 3_000, turnMsMax: 60_000 },
  );
}
