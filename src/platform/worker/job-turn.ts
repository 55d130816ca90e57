import type { Pool } from '../db/db.ts';
import { fencePool } from '../db/fence.ts';
import { endLease, LeaseLost, renewLease, requireLease, takeLease } from './lease.ts';

export interface JobTiming {
  /** How long a lease lasts without renewal. It is renewed three times as often. */
  leaseMs: number;
  /** Timeout of a turn. Calls to other services time out within seconds, so a longer turn hangs. */
  turnMsMax: number;
}

export const usualTiming: JobTiming = { leaseMs: 15_000, turnMsMax: 300_000 };

/** A turn did not end in time. */
export class JobHung extends Error {
  override readonly name = 'JobHung';
}

/**
 * One turn of a job with a separate view of the database, which is closed when the turn hangs or another
 * worker has taken the job: its open transactions are aborted and nothing more is written. Returns how many
 * things it did, or that another worker has the turn.
 */
export async function runTurn(
  db: Pool,
  { name, isShared }: { name: string; isShared?: true },
  timing: JobTiming,
  // biome-ignore lint/suspicious/noConfusingVoidType: a job that counts nothing returns nothing.
  run: (db: Pool) => Promise<number | void>,
): Promise<number | 'elsewhere'> {
  const ending = new AbortController();
  const { signal } = ending;
  const hung = new JobHung(`${name} did not end within ${timing.turnMsMax} ms`);
  const ended = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason));
  });
  ended.catch(() => undefined);
  const timer = setTimeout(() => ending.abort(hung), timing.turnMsMax);
  try {
    if (isShared) return (await Promise.race([run(fencePool(db, { signal })), ended])) ?? 0;
    const turn = await takeLease(db, name, timing.leaseMs);
    if (turn === undefined) return 'elsewhere';
    const stopRenewing = keepRenewing(db, { name, turn, timing, ending });
    try {
      const check = (tx: Parameters<typeof requireLease>[0]) => requireLease(tx, name, turn);
      return (await Promise.race([run(fencePool(db, { signal, check })), ended])) ?? 0;
    } finally {
      stopRenewing();
      // If this fails, the lease expires.
      await endLease(db, name, turn).catch(() => undefined);
    }
  } finally {
    clearTimeout(timer);
  }
}

interface Renewing {
  name: string;
  turn: bigint;
  timing: JobTiming;
  ending: AbortController;
}

function keepRenewing(db: Pool, { name, turn, timing: { leaseMs }, ending }: Renewing): () => void {
  let isRenewing = false;
  const renew = async () => {
    if (isRenewing) return;
    isRenewing = true;
    // While the database is down nobody else can take the lease, and each commit checks it again.
    const isOurs = await renewLease(db, name, turn, leaseMs).catch(() => true);
    isRenewing = false;
    if (!isOurs) ending.abort(new LeaseLost(`another worker has taken over ${name}`));
  };
  const timer = setInterval(renew, leaseMs / 3);
  return () => clearInterval(timer);
}
