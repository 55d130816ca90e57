import type { Pool } from './db.ts';
import type { Listener } from './listen.ts';
import type { Log } from './log.ts';
import type { Metrics } from './metrics.ts';

/** Something the worker does again and again. It must be safe to run at any time, any number of times. */
export interface Job<Deps> {
  name: string;
  everyMs: number;
  /**
   * Where every worker takes its turns, beside the others: what it does is guarded row by row. Without it, only one worker at
   * a time has the turn.
   */
  isShared?: true;
  /** A PostgreSQL channel: a notice on it starts a turn at once. */
  wokenBy?: string;
  /** Jobs of this process that get a turn at once when this one did something. */
  wakes?: readonly string[];
  /** How many things it did: after some it has its next turn soon, after none at its interval. */
  // biome-ignore lint/suspicious/noConfusingVoidType: a job that counts nothing returns nothing.
  run(deps: Deps): Promise<number | void>;
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

/** A wake-up starts a turn after this: what comes together is done together, and a busy channel does not become a busy loop. */
const gatherMs = 10;

/** Runs each job on its interval, and sooner where something woke it. */
export function runJobs<Deps extends JobDeps>(jobs: readonly Job<Deps>[], deps: Deps): RunningJobs {
  let isStopping = false;
  const running = new Set<Promise<void>>();
  const timers = new Map<string, { timer: NodeJS.Timeout; dueAt: number }>();
  const awake = new Set<string>();

  const schedule = (job: Job<Deps>, delayMs: number) => {
    if (isStopping) return;
    const timer = setTimeout(() => {
      timers.delete(job.name);
      awake.delete(job.name);
      const turn = takeTurn(job, deps).then((done) => {
        running.delete(turn);
        if (done > 0) for (const name of job.wakes ?? []) wake(name);
        schedule(job, done > 0 || awake.has(job.name) ? gatherMs : job.everyMs);
      });
      running.add(turn);
    }, delayMs);
    timers.set(job.name, { timer, dueAt: performance.now() + delayMs });
  };
  const byName = new Map(jobs.map((job) => [job.name, job]));
  const wake = (name: string) => {
    const job = byName.get(name);
    if (!job) return;
    const next = timers.get(name);
    // During its own turn it is remembered: what woke it may have come after the turn had looked.
    if (!next) awake.add(name);
    else if (next.dueAt > performance.now() + gatherMs) {
      clearTimeout(next.timer);
      schedule(job, gatherMs);
    }
  };
  for (const job of jobs) schedule(job, 0);

  const channels = new Set(jobs.flatMap(({ wokenBy }) => wokenBy ?? []));
  const listeners: Listener[] = [...channels].map((channel) =>
    deps.db.listen(channel, () => {
      for (const { name, wokenBy } of jobs) if (wokenBy === channel) wake(name);
    }),
  );

  return {
    async stop() {
      isStopping = true;
      for (const { timer } of timers.values()) clearTimeout(timer);
      await Promise.all([...running, ...listeners.map((listener) => listener.stop())]);
    },
  };
}

async function takeTurn<Deps extends JobDeps>(job: Job<Deps>, deps: Deps): Promise<number> {
  try {
    let done = 0;
    const run = async () => {
      done = (await job.run(deps)) ?? 0;
    };
    const hadTurn = job.isShared
      ? await run().then(() => true)
      : await deps.db.withLock(`job ${job.name}`, run);
    deps.metrics.countJob(job.name, hadTurn ? 'done' : 'elsewhere');
    return done;
  } catch (err) {
    deps.metrics.countJob(job.name, 'failed');
    deps.log.error({ err, job: job.name }, 'job failed; it runs again at its next turn');
    return 0;
  }
}
