import { setTimeout as sleep } from 'node:timers/promises';
import type { PayoutStep } from '#features/payouts';
import type { Replacement } from './database.ts';
import { type Disasters, startDisasters } from './disasters.ts';
import { everyFault, type Fault, type FaultMix } from './fault-mix.ts';
import { type Load, startLoad } from './load.ts';
import { type Losses, startLosses } from './losses.ts';
import type { MutantName } from './mutants.ts';
import { type ChaosOperator, startOperator } from './operator.ts';
import { createRandom } from './random.ts';
import { judge } from './verdict.ts';
import { startWorkers, steps, type Workers } from './workers.ts';
import { startWorld, type World } from './world.ts';

export interface ChaosOptions {
  /** An empty folder. */
  folder: string;
  seed: string;
  /**
   * The faults go on for at least this long, and until the goals are reached, but no longer than the most.
   */
  leastSeconds: number;
  mostSeconds: number;
  goals: Goals;
  /** Withdrawals asked for. */
  perSecond: number;
  /** Average seconds between two. */
  reorgEvery: number;
  crashEvery: number;
  /** A node says of payments that they were reverted. */
  lieEvery: number;
  /** Reorganisations that take back what was final: the lane halts, and an operator ends that. */
  deepReorgEvery: number;
  /** Failovers and restores that lose commits, and partners repeat their requests. */
  lossEvery: number;
  lossOrder: readonly Replacement[];
  backupSeconds: { least: number; most: number };
  /** How often workers survive a failover. */
  survivalChance: number;
  workers: number;
  /** The longest life of a worker. */
  lifeMs: number;
  deadlySteps: readonly PayoutStep[];
  faults: FaultMix;
  finalityDepth: number;
  /** Hot wallets; one, if left out. */
  wallets?: number;
  /** How many of the two nodes must agree; both, if left out. */
  quorum?: number;
  /** After the end of the faults, and after each payment that is settled or mined then. */
  finalWithinSeconds: number;
  mutant?: MutantName;
  /** Run on the fresh database. */
  prepareSql?: string;
  say?: (words: string) => void;
}

export interface Goals {
  withdrawals: number;
  kills: number;
  killsEachStep: number;
  reorganisations: number;
  deepReorganisations: number;
  lies: number;
  crashes: number;
  failovers: number;
  restores: number;
}

export interface Outcome {
  /** Promises that were not kept. */
  broken: string[];
  /** Goals that were not reached: such a run proves too little. */
  unreached: string[];
  statuses: Record<string, number>;
  /** Transfers of each hot wallet, on chain. */
  transfers: number[];
  /** Why some failed. */
  reasons: Record<string, number>;
  withdrawals: number;
  kills: number;
  killsByStep: Record<string, number>;
  freezes: number;
  reorganisations: Record<string, number>;
  deepReorganisations: number;
  lies: number;
  /** Halts that an operator ended by a documented command, by their reason. */
  haltsEnded: Record<string, number>;
  /** What the operator did for that. */
  commands: Record<string, number>;
  failovers: number;
  restores: Record<string, number>;
  /** Requests that partners asked again after these. */
  repeated: number;
  crashes: number;
  calls: number;
  faulted: number;
  byFault: Partial<Record<Fault, number>>;
  /** Transactions that a node kept and passed on up to a minute later. */
  passedOnLate: number;
  activeSeconds: number;
  /** From the end of the faults until everything was final. */
  finalSeconds: number | undefined;
}

/** A minute of `npm run chaos`; tests and longer runs change times and goals. */
export const usualOptions: Omit<ChaosOptions, 'folder' | 'seed'> = {
  leastSeconds: 30,
  mostSeconds: 60,
  goals: {
    withdrawals: 200,
    kills: 30,
    killsEachStep: 1,
    reorganisations: 5,
    deepReorganisations: 0,
    lies: 3,
    crashes: 3,
    failovers: 0,
    restores: 0,
  },
  perSecond: 8,
  reorgEvery: 5,
  crashEvery: 8,
  lieEvery: 6,
  deepReorgEvery: Number.POSITIVE_INFINITY,
  lossEvery: Number.POSITIVE_INFINITY,
  lossOrder: ['promotion', 'files', 'promotion', 'recovery', 'promotion'],
  backupSeconds: { least: 10, most: 25 },
  survivalChance: 0.5,
  workers: 3,
  lifeMs: 3_500,
  deadlySteps: steps,
  wallets: 2,
  faults: { ...everyFault, rate: 0.3 },
  finalityDepth: 4,
  finalWithinSeconds: 25,
};

const deepestReorg = 3;
const lagEvery = 7;
const sayEverySeconds = 10;
/**
 * A payment that is gone is looked at again every 30 s, and must be gone for a minute before the lane halts.
 */
const mendSeconds = 240;
/** After a loss: nonces to fill, requests that are repeated late, and another halt. */
const recoverSeconds = 150;
/** For a backlog that gets smaller all the time. */
const restSecondsMax = 1_800;

interface Run {
  world: World;
  workers: Workers;
  load: Load;
  disasters: Disasters;
  losses: Losses;
  operator: ChaosOperator;
}

/** Pays withdrawals while everything around is ill-treated, lets it come to rest, and judges what is left. */
export async function runChaos(options: ChaosOptions): Promise<Outcome> {
  const { folder, seed, finalityDepth, quorum, wallets, prepareSql, finalWithinSeconds } = options;
  const world = await startWorld({
    folder,
    seed,
    finality: { rule: finalityDepth },
    ...(quorum && { quorum }),
    ...(wallets && { wallets }),
  });
  try {
    if (prepareSql) await world.deps.db.query(prepareSql);
    for (const twin of world.twins) twin.setMix(options.faults);
    const run = startAll(world, options);
    const { workers, load, disasters, losses, operator } = run;
    const activeSeconds = await waitForGoals(run, options);
    const unreached = unreachedGoals(run, options);
    for (const twin of world.twins) twin.setMix(undefined);
    await Promise.all([disasters.stop(), losses.stop()]);
    workers.stopKilling();
    const overAt = performance.now();
    await load.finish();
    const withinSeconds =
      finalWithinSeconds +
      (disasters.deepReorganisations > 0 ? mendSeconds : 0) +
      (lossesOf(losses) > 0 ? recoverSeconds : 0);
    const finalSeconds = await waitUntilFinal(world, overAt, withinSeconds);
    await operator.stop();
    await workers.stop();
    const broken = [...accidentsOf(run), ...load.faults, ...(await judge(world, load.asked, operator))];
    return { broken, unreached, activeSeconds, finalSeconds, ...(await countAll(run)) };
  } finally {
    await world.stop();
  }
}

function startAll(world: World, options: ChaosOptions): Run {
  const { seed, workers: count, lifeMs, deadlySteps, mutant, perSecond, reorgEvery, crashEvery } = options;
  const { lieEvery, deepReorgEvery, finalityDepth } = options;
  const { lossEvery, lossOrder: order, backupSeconds, survivalChance } = options;
  const workers = startWorkers({
    world,
    random: createRandom(seed, 'workers'),
    count,
    lifeMs,
    deadlySteps,
    ...(mutant && { mutant }),
  });
  const load = startLoad({ world, random: createRandom(seed, 'load'), perSecond });
  const operator = startOperator(world);
  return {
    world,
    workers,
    load,
    operator,
    losses: startLosses({
      world,
      random: createRandom(seed, 'losses'),
      workers,
      load,
      operator,
      lossEvery,
      order,
      backupSeconds,
      survivalChance,
    }),
    disasters: startDisasters({
      world,
      random: createRandom(seed, 'disasters'),
      reorgEvery,
      crashEvery,
      lagEvery,
      deepestReorg,
      lieEvery,
      deepReorgEvery,
      finalityDepth,
    }),
  };
}

async function waitForGoals(run: Run, options: ChaosOptions): Promise<number> {
  const { leastSeconds, mostSeconds, say } = options;
  const startedAt = performance.now();
  const seconds = () => (performance.now() - startedAt) / 1_000;
  let saidAt = 0;
  const isOver = () =>
    accidentsOf(run).length > 0 ||
    seconds() >= mostSeconds ||
    (seconds() >= leastSeconds && unreachedGoals(run, options).length === 0);
  while (!isOver()) {
    await sleep(200);
    if (!say || seconds() - saidAt < sayEverySeconds) continue;
    saidAt = seconds();
    const { load, workers, disasters, losses, world } = run;
    const counts = `${load.created} withdrawals, ${workers.kills} kills, ${reorganised(disasters)} reorganisations`;
    const statuses = JSON.stringify(await countStatuses(world));
    say(
      `${saidAt.toFixed(0)} s: ${counts}, ${world.database.crashes} crashes, ${lossesOf(losses)} losses ${statuses}`,
    );
  }
  return seconds();
}

function unreachedGoals({ world, workers, load, disasters, losses }: Run, options: ChaosOptions): string[] {
  const { goals, deadlySteps } = options;
  const reached: [what: string, count: number, goal: number][] = [
    ['withdrawals', load.created, goals.withdrawals],
    ['kills', workers.kills, goals.kills],
    ['reorganisations', reorganised(disasters), goals.reorganisations],
    ['reorganisations below finality', disasters.deepReorganisations, goals.deepReorganisations],
    ['lies of a node', disasters.lies, goals.lies],
    ['crashes of PostgreSQL', world.database.crashes, goals.crashes],
    ['failovers', losses.failovers, goals.failovers],
    ['restores', restoresOf(losses), goals.restores],
  ];
  for (const step of deadlySteps) {
    reached.push([`kills at ${step}`, workers.killsByStep.get(step) ?? 0, goals.killsEachStep]);
  }
  return reached
    .filter(([, count, goal]) => count < goal)
    .map(([what, count, goal]) => `${count} of ${goal} ${what}`);
}

const accidentsOf = ({ workers, disasters, losses }: Run) => [
  ...workers.accidents,
  ...disasters.accidents,
  ...losses.accidents,
];

const restoresOf = ({ restores }: Losses) => restores.files + restores.recovery;

const lossesOf = (losses: Losses) => losses.failovers + restoresOf(losses);

const reorganised = ({ reorganisations }: Disasters) =>
  Object.values(reorganisations).reduce((sum, count) => sum + count, 0);

async function waitUntilFinal(
  world: World,
  overAt: number,
  withinSeconds: number,
): Promise<number | undefined> {
  const seconds = () => (performance.now() - overAt) / 1_000;
  let [least, most, progressAt] = [Number.POSITIVE_INFINITY, 0, 0];
  for (; seconds() < progressAt + withinSeconds && seconds() < restSecondsMax; await sleep(100)) {
    const statuses = await countStatuses(world);
    // Nothing is counted while PostgreSQL is away.
    if (Object.keys(statuses).length === 0) continue;
    const { queued = 0, pending = 0, processing = 0 } = statuses;
    const unsettled = queued + pending + processing;
    const counts = await countUsed(world);
    const used = [...counts.values()].reduce((sum, count) => sum + count, 0);
    if (unsettled === 0 && (await isWhole(world, counts))) return seconds();
    if (unsettled >= least && used <= most) continue;
    [least, most, progressAt] = [Math.min(least, unsettled), Math.max(most, used), seconds()];
  }
  return undefined;
}

/** Of each hot wallet's nonces, on chain. */
async function countUsed({ chain, wallets }: World): Promise<ReadonlyMap<string, number>> {
  const counts = wallets.map((wallet) => chain.call<string>('eth_getTransactionCount', wallet, 'latest'));
  return new Map((await Promise.all(counts)).map((count, at) => [wallets[at]!, Number(count)]));
}

/**
 * Whether the chain has every nonce that was given out: a deep reorganisation takes back what was settled.
 */
async function isWhole({ deps }: World, used: ReadonlyMap<string, number>): Promise<boolean> {
  const rows = await deps.db
    .query<{ address: string; next: bigint; isHalted: boolean }>(
      'select address, next_nonce as next, halted_at is not null as "isHalted" from payout_signers',
    )
    .catch(() => []);
  return rows.every(({ address, next, isHalted }) => BigInt(used.get(address) ?? 0) >= next && !isHalted);
}

async function countAll({ world, workers, load, disasters, losses, operator }: Run) {
  const byFault: Partial<Record<Fault, number>> = {};
  for (const [fault, count] of world.twins.flatMap((twin) => [...twin.byFault])) {
    byFault[fault] = (byFault[fault] ?? 0) + count;
  }
  return {
    statuses: await countStatuses(world),
    transfers: await Promise.all(
      world.wallets.map(async (wallet) => (await world.chain.paidOut(wallet)).length),
    ),
    reasons: await countReasons(world),
    withdrawals: load.created,
    kills: workers.kills,
    killsByStep: Object.fromEntries(workers.killsByStep),
    freezes: workers.freezes,
    reorganisations: { ...disasters.reorganisations },
    deepReorganisations: disasters.deepReorganisations,
    lies: disasters.lies,
    haltsEnded: operator.ended,
    commands: operator.commands,
    failovers: losses.failovers,
    restores: { ...losses.restores },
    repeated: load.repeated,
    crashes: world.database.crashes,
    calls: world.twins.reduce((sum, { calls }) => sum + calls, 0),
    faulted: world.twins.reduce((sum, { faulted }) => sum + faulted, 0),
    byFault,
    passedOnLate: world.twins.reduce((sum, { passedOnLate }) => sum + passedOnLate, 0),
  };
}

const countStatuses = (world: World) =>
  countBy(world, 'select status as name, count(*)::integer as count from withdrawals group by status');

const countReasons = (world: World) =>
  countBy(
    world,
    `select error_message as name, count(*)::integer as count from withdrawals
     where status = 'failed' group by error_message`,
  );

async function countBy({ deps }: World, sql: string): Promise<Record<string, number>> {
  const rows = await deps.db.query<{ name: string; count: number }>(sql).catch(() => []);
  return Object.fromEntries(rows.map(({ name, count }) => [name, count]));
}
