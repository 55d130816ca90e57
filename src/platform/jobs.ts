import type { Db } from './db.ts';
import type { Log } from './log.ts';

/** Something the worker does again and again. It must be safe to run at any time, any number of times. */
export interface Job<Deps> {
  name: string;
  everyMs: number;
  run(deps: Deps): Promise<void>;
}

export interface RunningJobs {
  /** Starts nothing new and waits for what is running. */
  stop(): Promise<void>;
}

/**
 * Runs each job on its interval. Of several workers only one runs a job at a time: the others find its advisory lock
 * taken and wait for their next turn. The lock goes with the connection, so a worker that dies holds nothing up.
 */
export function runJobs<Deps extends { db: Db; log: Log }>(
  jobs: readonly Job<Deps>[],
  deps: Deps,
): RunningJobs {
  let stopping = false;
  const timers = new Set<NodeJS.Timeout>();
  const running = new Set<Promise<void>>();

  const schedule = (job: Job<Deps>, delayMs: number) => {
    if (stopping) return;
    const timer = setTimeout(() => {
      timers.delete(timer);
      const turn = takeTurn(job, deps).finally(() => {
        running.delete(turn);
        schedule(job, job.everyMs);
      });
      running.add(turn);
    }, delayMs);
    timers.add(timer);
  };
  for (const job of jobs) schedule(job, 0);

  return {
    async stop() {
      stopping = true;
      for (const timer of timers) clearTimeout(timer);
      await Promise.all(running);
    },
  };
}

async function takeTurn<Deps extends { db: Db; log: Log }>(job: Job<Deps>, deps: Deps): Promise<void> {
  try {
    await deps.db.transaction(async (db) => {
      const [lock] = await db.query<{ taken: boolean }>(
        'select pg_try_advisory_xact_lock(hashtextextended($1, 0)) as taken',
        [`causeway job ${job.name}`],
      );
      if (lock?.taken) await job.run({ ...deps, db });
    });
  } catch (err) {
    deps.log.error({ err, job: job.name }, 'job failed; it runs again at its next turn');
  }
}
