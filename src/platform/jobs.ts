import type { Pool } from './db.ts';
import type { Log } from './log.ts';
import type { Metrics } from './metrics.ts';

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

interface JobDeps {
  db: Pool;
  log: Log;
  metrics: Metrics;
}

/**
 * Runs each job on its interval. Of several workers only one runs a job at a time: the others find its lock taken and wait
 * for their next turn.
 */
export function runJobs<Deps extends JobDeps>(jobs: readonly Job<Deps>[], deps: Deps): RunningJobs {
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

async function takeTurn<Deps extends JobDeps>(job: Job<Deps>, deps: Deps): Promise<void> {
  try {
    const hadTurn = await deps.db.withLock(`job ${job.name}`, () => job.run(deps));
    deps.metrics.countJob(job.name, hadTurn ? 'done' : 'elsewhere');
  } catch (err) {
    deps.metrics.countJob(job.name, 'failed');
    deps.log.error({ err, job: job.name }, 'job failed; it runs again at its next turn');
  }
}
