import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PayoutStep } from '#features/payouts';
import { processFile } from '#test/bundle/process-file';
import type { MutantName } from './mutants.ts';
import type { Random } from './random.ts';
import { type WorkerOrders, writeOrders } from './worker-orders.ts';
import type { World as AnyWorld, WorldDatabase } from './world.ts';

type World = AnyWorld<WorldDatabase>;

export const steps: readonly PayoutStep[] = ['hold', 'nonce', 'sign', 'store', 'send', 'receipt', 'ledger'];

export interface Workers {
  /** How many died by SIGKILL, in all, and of those in each step. */
  kills: number;
  killsByStep: Map<PayoutStep, number>;
  freezes: number;
  /** How many ended in any way that nobody ordered. */
  accidents: string[];
  /** Kills all and starts none until `resume`. */
  pause(): Promise<void>;
  resume(): void;
  /** From now on workers live on. */
  stopKilling(): void;
  stop(): Promise<void>;
}

export interface WorkersOptions {
  world: World;
  random: Random;
  count: number;
  /** The longest that a worker lives before it is killed from outside; Infinity spares them all. */
  lifeMs: number;
  /** Steps to die in, each about as often as the others. */
  deadlySteps: readonly PayoutStep[];
  mutant?: MutantName;
  isReplicationSynchronous?: boolean;
}

const accidentsMax = 10;
const lifeMsMax = 60_000;
/** After so many, steps are out of reach, such as while wallets are halted: most die at any moment then. */
const missedMany = 8;

/**
 * Keeps a number of worker processes alive that are killed again and again, at named steps and at any moment.
 */
export function startWorkers(options: WorkersOptions): Workers {
  const { world, random, count, lifeMs, deadlySteps, mutant, isReplicationSynchronous } = options;
  const compileCache = path.join(world.folder, 'compiled');
  mkdirSync(compileCache, { recursive: true });
  let isKilling = true;
  let isStopping = false;
  let isPaused = false;
  const living = new Set<ChildProcess>();
  /** How many in a row were killed from outside before they came to the step that they should die in. */
  let missed = 0;

  const workers: Workers = {
    kills: 0,
    killsByStep: new Map(deadlySteps.map((step) => [step, 0])),
    freezes: 0,
    accidents: [],
    async pause() {
      isPaused = true;
      while (living.size > 0) {
        for (const child of living) child.kill('SIGKILL');
        await sleep(20);
      }
    },
    resume() {
      isPaused = false;
    },
    stopKilling() {
      isKilling = false;
      for (const child of living) {
        child.stdin!.write('live\n');
        child.kill('SIGCONT');
      }
    },
    async stop() {
      isStopping = true;
      await Promise.all(
        [...living].map((child) => {
          const exited = once(child, 'exit');
          child.stdin!.end();
          return exited;
        }),
      );
      await Promise.all(places);
    },
  };

  const places = Array.from({ length: count }, () => keepOne());
  return workers;

  async function keepOne(): Promise<void> {
    while (!isStopping && workers.accidents.length < accidentsMax) await (isPaused ? sleep(50) : runOne());
  }

  async function runOne(): Promise<void> {
    const dieAt = isKilling && random.chance(missed < missedMany ? 0.7 : 0.3) ? chooseDeath() : undefined;
    const child = spawn(process.execPath, ['--no-warnings', processFile('test/chaos/worker.ts')], {
      stdio: 'pipe',
      env: { ...process.env, NODE_COMPILE_CACHE: compileCache },
    });
    living.add(child);
    const exited = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
    child.stdin!.on('error', () => {});
    let complaint = '';
    child.stderr!.on('data', (text) => {
      complaint += text;
    });
    const orders: WorkerOrders = {
      databaseUrl: world.database.url,
      logFile: path.join(world.folder, 'workers.log'),
      network: world.network,
      ...(dieAt && { dieAt }),
      ...(mutant && { mutant }),
      ...(isReplicationSynchronous && { isReplicationSynchronous }),
    };
    child.stdin!.write(`${writeOrders(orders)}\n`);
    let hasComeToStep = false;
    const started = new Promise<void>((resolve) => {
      createInterface({ input: child.stdout! }).on('line', (line) => {
        if (line === 'started') resolve();
        else {
          hasComeToStep = true;
          noteDeath(line.replace('died at ', '') as PayoutStep);
        }
      });
    });
    await Promise.race([started, exited]);
    const isMortal = lifeMs < Number.POSITIVE_INFINITY;
    if (isMortal) void haunt(child, exited, dieAt === undefined ? random.between(0, lifeMs / 2) : longLife());
    const [code, signal] = await exited;
    living.delete(child);
    if (dieAt) missed = hasComeToStep ? 0 : missed + 1;
    if (signal === 'SIGKILL') workers.kills += 1;
    else if (!isStopping) {
      const reason = /^\w*error: .*/im.exec(complaint)?.[0] ?? complaint.slice(0, 200);
      workers.accidents.push(`a worker ended with ${signal ?? `code ${code}`}: ${reason}`);
    }
  }

  /**
   * Mostly the steps with the fewest deaths so far: which of them a worker will come to is not known. Not
   * always, or nobody would ever get past the step that is the hardest to come to.
   */
  function chooseDeath(): WorkerOrders['dieAt'] {
    if (deadlySteps.length === 0) return undefined;
    const least = Math.min(...workers.killsByStep.values());
    const rarest = deadlySteps.filter((step) => workers.killsByStep.get(step) === least);
    if (least === 0) return { steps: rarest, hit: 1 };
    return { steps: random.chance(0.5) ? rarest : [random.pick(deadlySteps)], hit: random.between(1, 3) };
  }

  /** On a slow machine a life may be too short to come to a late step: then the next ones live longer. */
  function longLife(): number {
    return Math.min(lifeMs * (1 + missed / 10), Math.max(lifeMs, lifeMsMax));
  }

  function noteDeath(step: PayoutStep): void {
    workers.killsByStep.set(step, (workers.killsByStep.get(step) ?? 0) + 1);
  }

  /** Freezes it now and then, and kills it at the end of its time. */
  async function haunt(child: ChildProcess, exited: Promise<unknown>, delayMs: number): Promise<void> {
    await Promise.race([sleep(delayMs), exited]);
    if (isKilling && random.chance(0.08)) {
      workers.freezes += 1;
      await freeze(child, random.between(1, 12));
    }
    if (isKilling) child.kill('SIGKILL');
  }
}

/**
 * By a separate process: if this one dies meanwhile, the frozen one still wakes, finds itself alone, and
 * ends.
 */
async function freeze(child: ChildProcess, seconds: number): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const script = 'kill -STOP $1 && sleep $2; kill -CONT $1';
  const guard = spawn('/bin/sh', ['-c', script, 'freeze', String(child.pid), String(seconds)], {
    stdio: 'ignore',
    detached: true,
  });
  guard.unref();
  await Promise.race([once(guard, 'exit'), once(child, 'exit')]);
}
