// `npm run chaos -- [--minutes N] [--seed S] [--keep]`: pays withdrawals while workers and PostgreSQL are
// killed, nodes lie and the chain reorganises, then counts on chain; --keep leaves its logs and data. With
// --mutants [--only words], wrong workers, each of which must be found out; with --fenced too, the database
// keeps what refuses their wrong step. On a busy machine, --slow N: workers live N times as long, and a N-th
// of everything has to happen.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { bundleProcesses } from '../bundle/bundle.ts';
import { type ChaosOptions, type Outcome, runChaos, usualOptions } from './chaos.ts';
import { describeOutcome } from './describe.ts';
import { everyFault } from './fault-mix.ts';
import { type Mutant, mutants } from './mutants.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '1' },
    seed: { type: 'string', default: randomBytes(4).toString('hex') },
    mutants: { type: 'boolean', default: false },
    fenced: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    keep: { type: 'boolean', default: false },
    slow: { type: 'string', default: '1' },
  },
});
// Workers are started a thousand times; each takes half the CPU with compiled code at hand.
process.env.NODE_COMPILE_CACHE ??= path.resolve(import.meta.dirname, '../../node_modules/.cache/causeway');
process.env.CAUSEWAY_TEST_BUNDLE = await bundleProcesses();
const minutes = Number(values.minutes);
if (!(minutes > 0)) throw new Error('--minutes takes a number above 0');
const slow = Number(values.slow);
if (!(slow >= 1)) throw new Error('--slow takes a number from 1');
const { seed } = values;

process.exitCode = values.mutants ? await runMutants() : await runHealthy();

async function runHealthy(): Promise<number> {
  const scale = minutes >= 2 ? longGoals(minutes) : {};
  const outcome = await runInFolder({ ...usualOptions, ...scale, seed, say: console.log });
  for (const line of describeOutcome(outcome)) console.log(line);
  const faults = [...outcome.broken, ...outcome.unreached.map((goal) => `too little happened: ${goal}`)];
  tellFaults(faults, `npm run chaos -- --minutes ${minutes} --seed ${seed}`);
  return faults.length === 0 ? 0 : 1;
}

/**
 * As many of each in a minute as make 6,000 withdrawals, 1,000 kills, 100 reorganisations and 50 crashes in
 * 15, with every accident that an operator ends: lies, lost commits and reorganisations of final blocks.
 */
function longGoals(minutes: number): Partial<ChaosOptions> {
  const of15 = (count: number) => Math.floor((count * minutes) / 15 / slow);
  return {
    leastSeconds: minutes * 60,
    mostSeconds: minutes * 60 * 1.2,
    goals: {
      withdrawals: of15(6_000),
      kills: of15(1_000),
      killsEachStep: of15(30),
      reorganisations: of15(100),
      deepReorganisations: of15(3),
      lies: of15(75),
      crashes: of15(50),
      failovers: of15(4),
      restores: of15(2),
    },
    // With what lagging twins add, above 40 %.
    faults: { ...everyFault, rate: 0.39 },
    crashEvery: 14 * slow,
    reorgEvery: usualOptions.reorgEvery * slow,
    deepReorgEvery: 180,
    // Each loss halts the lanes for 60 to 100 seconds. With less time in between, hardly any step of a
    // payout is hit; with more, there are too few losses.
    lossEvery: 55,
    backupSeconds: { least: 10, most: 45 },
    lifeMs: 5_000 * slow,
    perSecond: 7 / slow,
    workers: 5,
  };
}

async function runMutants(): Promise<number> {
  let missed = 0;
  for (const mutant of mutants.filter(({ name }) => name.includes(values.only))) {
    const startedAt = performance.now();
    const outcome = await runInFolder(optionsFor(mutant));
    const seconds = ((performance.now() - startedAt) / 1_000).toFixed(0);
    const harm = outcome.broken.filter((fault) => mutant.harm.test(fault));
    const isCaught = harm.length > 0;
    if (!isCaught && !values.fenced) missed += 1;
    const verdict = isCaught ? `caught: ${harm.length} × ${harm[0]}` : 'NOT caught';
    console.log(`a worker that ${mutant.name} is ${verdict} (${seconds} s)`);
    if (!isCaught)
      for (const line of [...oneOfEachKind(outcome.broken), ...describeOutcome(outcome)])
        console.log(`  ${line}`);
  }
  if (missed > 0) console.log(`Repeat with: npm run chaos -- --mutants --seed ${seed}`);
  return missed === 0 ? 0 : 1;
}

function optionsFor({ name, fence, conditions }: Mutant): Omit<ChaosOptions, 'folder'> {
  return {
    ...usualOptions,
    // A wrong worker is wrong with its first wallet.
    wallets: 1,
    leastSeconds: 15,
    mostSeconds: 15,
    crashEvery: Number.POSITIVE_INFINITY,
    finalWithinSeconds: 10,
    ...conditions,
    seed,
    mutant: name,
    ...(fence && !values.fenced && { prepareSql: fence }),
  };
}

async function runInFolder(options: Omit<ChaosOptions, 'folder'>): Promise<Outcome> {
  const folder = mkdtempSync(path.join(tmpdir(), 'causeway-chaos-'));
  try {
    return await runChaos({ ...options, folder });
  } finally {
    if (values.keep) console.log(`logs and data are kept in ${folder}`);
    else rmSync(folder, { recursive: true, force: true });
  }
}

function oneOfEachKind(faults: readonly string[]): string[] {
  return [...new Map(faults.map((fault) => [kindOf(fault), fault])).values()];
}

/** A fault without its ids, hashes and amounts. */
function kindOf(fault: string): string {
  return fault.replace(/0x[0-9a-f]+|[0-9a-f-]{36}|\d+/g, '…');
}

function tellFaults(faults: readonly string[], command: string): void {
  if (faults.length === 0) {
    console.log(`every promise was kept (seed ${seed})`);
    return;
  }
  console.log(`\n${faults.length} faults:`);
  for (const [kind, some] of Map.groupBy(faults, kindOf)) {
    console.log(`  ${some.length} × ${kind}`);
    for (const fault of some.slice(0, 10)) console.log(`    ${fault}`);
  }
  console.log(`Repeat with: ${command}`);
}
