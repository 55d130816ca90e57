import type { Pool } from '../db/db.ts';
import type { Listener } from '../db/listen.ts';
import type { Log } from '../observe/log.ts';
import type { Metrics } from '../observe/metrics.ts';
import { JobHung, type JobTiming, runTurn, usualTiming } from './job-turn.ts';
import { LeaseLost } from './lease.ts';

/** Something the worker does again and again. It must be safe to run at any time, any number of times. */
export interface Job<Deps> {
  name: string;
  everyMs: number;
  /**
   * Where every worker takes its turns, beside the others: what it does is guarded row by row. Without it, only one worker at
   * a time has the turn, by a lease: a worker that freezes loses it, and commits nothing after that.
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
export function runJobs<Deps extends JobDeps>(
  jobs: readonly Job<Deps>[],
  deps: Deps,
  timing: JobTiming = usualTiming,
): RunningJobs {
  let isStopping = false;
  const running = new Set<Promise<void>>();
  const timers = new Map<string, { timer: NodeJS.Timeout; dueAt: number }>();
  const awake = new Set<string>();

  const schedule = (job: Job<Deps>, delayMs: number) => {
    if (isStopping) return;
    const timer = setTimeout(() => {
      timers.delete(job.name);
      awake.delete(job.name);
      const turn = takeTurn(job, deps, timing).then((done) => {
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

async function takeTurn<Deps extends JobDeps>(
  job: Job<Deps>,
  deps: Deps,
  timing: JobTiming,
): Promise<number> {
  const { metrics, log } = deps;
  try {
    const turn = await runTurn(deps.db, job, timing, (db) => job.run({ ...deps, db }));
    metrics.countJob(job.name, turn === 'elsewhere' ? 'elsewhere' : 'done');
    return turn === 'elsewhere' ? 0 : turn;
  } catch (err) {
    const { outcome, message } = describeFault(err);
    metrics.countJob(job.name, outcome);
    log.error({ err, job: job.name }, message);
    return 0;
  }
}

function describeFault(error: unknown) {
  if (error instanceof JobHung) {
    return { outcome: 'hung', message: 'job hung and was ended; it runs again at its next turn' } as const;
  }
  if (error instanceof LeaseLost) {
    return {
      outcome: 'lost',
      message: 'job was taken over by another worker while this one was frozen',
    } as const;
  }
  return { outcome: 'failed', message: 'job failed; it runs again at its next turn' } as const;
}
