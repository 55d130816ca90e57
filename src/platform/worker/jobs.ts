import type { Pool } from '../db/db.ts';
import type { Listener } from '../db/listen.ts';
import type { Log } from '../observe/log.ts';
import type { Metrics } from '../observe/metrics.ts';
import { JobHung, type JobTiming, runTurn, usualTiming } from './job-turn.ts';
import { Lead, usualLeadTiming } from './lead.ts';
import { LeaseLost } from './lease.ts';

/** A repeated task of the worker. It must be safe to run at any time, any number of times. */
export interface Job<Deps> {
  name: string;
  everyMs: number;
  /**
   * If set, every worker runs it at the same time, because rows guard its work. Otherwise one worker at a
   * time has a lease: a frozen worker loses it and commits nothing after that.
   */
  isShared?: true;
  /**
   * Of a shared job: one of the workers that say the same name leads and runs the jobs of this lead; others
   * run them now and then.
   */
  lead?(deps: Deps): string;
  /** If it returns false at the start, the job never runs and has no metrics; default: it is configured. */
  isConfigured?(deps: Deps): boolean;
  /** A PostgreSQL channel: a notification on it starts a turn at once. */
  wokenBy?: string;
  /** Jobs of this process that run at once when this one did something. */
  wakes?: readonly string[];
  /** How many things it did: after some the next turn comes soon, after none at the interval. */
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

/**
 * Delay between a wake-up and its turn, so that notifications are batched and a busy channel does not become
 * a busy loop.
 */
const wakeUpDelayMs = 10;

/** Runs each job on its interval, and sooner after a wake-up. */
export function runJobs<Deps extends JobDeps>(
  all: readonly Job<Deps>[],
  deps: Deps,
  timing: JobTiming = usualTiming,
  leadTiming = usualLeadTiming,
): RunningJobs {
  const jobs = all.filter(({ isConfigured }) => isConfigured?.(deps) ?? true);
  let isStopping = false;
  const running = new Set<Promise<void>>();
  const timers = new Map<string, { timer: NodeJS.Timeout; dueAt: number }>();
  const awake = new Set<string>();
  const leads = new Map<string, Lead>();
  const leadOf = (job: Job<Deps>) => {
    const name = job.lead?.(deps);
    if (name === undefined) return undefined;
    const lead = leads.get(name) ?? new Lead(deps, name, leadTiming);
    leads.set(name, lead);
    return lead;
  };

  const schedule = (job: Job<Deps>, delayMs: number) => {
    if (isStopping) return;
    const timer = setTimeout(() => {
      timers.delete(job.name);
      awake.delete(job.name);
      const turn = takeTurn(job, deps, timing, leadOf(job)).then((done) => {
        running.delete(turn);
        if (done > 0) for (const name of job.wakes ?? []) wake(name);
        schedule(job, done > 0 || awake.has(job.name) ? wakeUpDelayMs : job.everyMs);
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
    // A wake-up during a turn is remembered, because its cause may be newer than what the turn read.
    if (!next) awake.add(name);
    else if (next.dueAt > performance.now() + wakeUpDelayMs) {
      clearTimeout(next.timer);
      schedule(job, wakeUpDelayMs);
    }
  };
  for (const job of jobs) {
    deps.metrics.noteJob(job.name, job.everyMs);
    schedule(job, 0);
  }

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
      const ends = [
        ...listeners.map((listener) => listener.stop()),
        ...[...leads.values()].map((lead) => lead.end()),
      ];
      await Promise.all([...running, ...ends]);
    },
  };
}

async function takeTurn<Deps extends JobDeps>(
  job: Job<Deps>,
  deps: Deps,
  timing: JobTiming,
  lead: Lead | undefined,
): Promise<number> {
  const { metrics, log } = deps;
  try {
    const hasTurn = lead === undefined || (await lead.hasTurn(job.name));
    const turn = hasTurn
      ? await runTurn(deps.db, job, timing, (db) => job.run({ ...deps, db }))
      : 'elsewhere';
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
