import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { availableParallelism, loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Network, NetworkSettings } from '#adapters/evm';
import type { Deps } from '#context';
import { startChain } from '#test/outside/chain';
import { type ApiCalls, callServers, seedApi, titles } from './curve/api.ts';
import { type Cell, measureCell, type Pids, summarize } from './curve/cell.ts';
import { parentOf } from './curve/cpu.ts';
import { type Payouts, preparePayouts, wallets } from './curve/payouts.ts';
import { printCurve } from './curve/report.ts';
import { type Watch, watchWaits } from './curve/waits.ts';
import type { Bench } from './measure.ts';
import { createBenchDeps, messageOf, operatorContext, startProcess } from './withdrawals/world.ts';

const most = 4;
/** In turns, so that a burst of other work on the machine does not make a curve. */
const counts = [1, 2, 4, 4, 2, 1];
const rounds = 2;
const cellMs = 2_000;
/** Of each kind on all servers together, until their code is compiled and recipients are known. */
const warmUpMs = 5_000;
const callers = 32;

const parts = {
  creations: ['creations', 'partners'],
  posts: ['posts'],
  history: ['history'],
  mcp: ['mcp'],
} as const satisfies Record<string, readonly (keyof ApiCalls)[]>;
const names = [...Object.keys(parts), 'payouts'];

type BenchDeps = Parameters<Bench>[0];

/** Where everything is measured, and what must be ended. */
interface Scene extends BenchDeps {
  watch: Watch;
  postmaster: number;
  /** Processes that were started. */
  children: ChildProcess[];
}

/**
 * Operations a second with 1, 2 and 4 processes on one database, with the CPU of an operation, what sessions
 * wait for, and the limit by the rule of `nameLimit`. Exits with 1 if a rate drops and CPU does not explain
 * it.
 */
export const run: Bench = async (given) => {
  const unknown = given.parts.find((part) => !names.includes(part));
  if (unknown) throw new Error(`no part ${unknown}: ${names.join(', ')}`);
  const isWanted = (part: string) => given.parts.length === 0 || given.parts.includes(part);
  const [session] = await given.db.query<{ pid: number }>('select pg_backend_pid() as pid');
  const watch = await watchWaits(given.databaseUrl);
  const scene: Scene = { ...given, watch, postmaster: parentOf(session!.pid), children: [] };
  const load = loadavg().map((one) => one.toFixed(2));
  console.log(`${availableParallelism()} cores, load average at the start: ${load.join(', ')}`);
  let unexplained = 0;
  try {
    const wanted = Object.entries(parts).flatMap(([part, kinds]) => (isWanted(part) ? kinds : []));
    if (wanted.length > 0) unexplained += await measureApi(scene, wanted);
    if (isWanted('payouts')) unexplained += await measurePayouts(scene);
  } finally {
    await endAll(scene);
    await watch.end();
  }
  console.log(
    unexplained === 0
      ? '\nNo drop, or each is explained by CPU.'
      : `\n${unexplained} drops are not explained by CPU.`,
  );
  if (unexplained > 0) process.exitCode = 1;
};

/** Four servers run all the time and stay warm; the callers use the first ones. */
async function measureApi(scene: Scene, kinds: readonly (keyof ApiCalls)[]): Promise<number> {
  const startedAt = performance.now();
  const chain = await startChain();
  const networks = [chain.settings];
  const deps = await depsOf(scene, networks);
  const operatorToken = randomBytes(24).toString('hex');
  try {
    const { calls, busyPartner } = await seedApi(operatorContext(deps), { db: scene.db, operatorToken });
    console.log(`prepared in ${Math.round((performance.now() - startedAt) / 1_000)} s`);
    const order = { databaseUrl: scene.databaseUrl, networks, operatorToken, busyPartner };
    const servers = await startMany(scene, () => startProcess('../curve/server.ts', order));
    const caller = await startProcess('../curve/callers.ts');
    scene.children.push(caller);
    const ports: number[] = [];
    for (const server of servers) {
      server.send('port');
      ports.push((await messageOf(server)) as number);
    }
    const pids: Pids = {
      processes: servers.map(({ pid }) => pid!),
      callers: [caller.pid!, process.pid],
      postmaster: scene.postmaster,
    };
    let unexplained = 0;
    for (const kind of kinds) {
      await callServers(caller, { ports, callers, durationMs: warmUpMs, calls: calls[kind] });
      const cells = await measureCells(rounds, (processes) =>
        measureCell({ processes, pids, watch: scene.watch }, () =>
          callServers(caller, { ports: ports.slice(0, processes), callers, durationMs: cellMs }),
        ),
      );
      unexplained += printCells(titles[kind], 'api', cells);
    }
    return unexplained;
  } finally {
    await endAll(scene);
    await chain.stop();
  }
}

/** On the pool of the bench, which lets a statement of the preparations take its time. */
async function depsOf({ databaseUrl, db }: Scene, networks: NetworkSettings[]): Promise<Deps> {
  const made = createBenchDeps(databaseUrl, networks);
  await made.db.end();
  return { ...made, db };
}

/** First by one hot wallet and then by four, because a wallet cannot be taken away while it has payouts. */
async function measurePayouts(scene: Scene): Promise<number> {
  const deps = await depsOf(scene, []);
  const payouts = await preparePayouts(operatorContext(deps), scene.db, network);
  try {
    let unexplained = 0;
    for (const count of [1, wallets]) {
      unexplained += await measureWallets(scene, payouts, count);
      await endAll(scene);
    }
    await payouts.requireCorrect();
    return unexplained;
  } finally {
    await endAll(scene);
    await payouts.stop();
  }
}

/** Another than that of the creations. */
const network: Network = 'base';

async function measureWallets(scene: Scene, payouts: Payouts, count: number): Promise<number> {
  const networks: NetworkSettings[] = payouts.settings(count);
  const order = { databaseUrl: scene.databaseUrl, networks };
  const workers = await startMany(scene, () => startProcess('../curve/worker.ts', order));
  const pids: Pids = {
    processes: workers.map(({ pid }) => pid!),
    callers: [process.pid],
    postmaster: scene.postmaster,
  };
  /** Resolves to the calls of these workers to the chain so far. */
  const setRunning = async (some: readonly ChildProcess[], isRunning: boolean) => {
    const calls = await Promise.all(
      some.map((worker) => {
        worker.send(isRunning);
        return messageOf(worker) as Promise<number>;
      }),
    );
    return calls.reduce((sum, one) => sum + one, 0);
  };
  await setRunning(workers, true);
  await payouts.countCompleted();
  await setRunning(workers, false);
  const cells = await measureCells(1, async (processes) => {
    const running = workers.slice(0, processes);
    await setRunning(running, true);
    // Until something of these has become final.
    await sleep(leadMs);
    const before = await setRunning(running, true);
    const cell = await measureCell({ processes, pids, watch: scene.watch }, payouts.countCompleted);
    const chainCalls = (await setRunning(running, true)) - before;
    await setRunning(running, false);
    return { ...cell, chainCalls };
  });
  const title = `payouts from creation to completion: ${count} hot wallet${count > 1 ? 's' : ''}, a block each second`;
  return printCells(title, 'workers', cells);
}

const leadMs = 3_000;

async function startMany(scene: Scene, start: () => Promise<ChildProcess>): Promise<ChildProcess[]> {
  const started: ChildProcess[] = [];
  for (let n = 0; n < most; n++) {
    started.push(await start());
    scene.children.push(started.at(-1)!);
  }
  return started;
}

async function measureCells(rounds: number, measure: (processes: number) => Promise<Cell>): Promise<Cell[]> {
  const cells: Cell[] = [];
  for (let round = 0; round < rounds; round++) {
    for (const processes of counts) cells.push(await measure(processes));
  }
  return cells;
}

function printCells(title: string, whose: string, cells: readonly Cell[]): number {
  const byCount = Map.groupBy(cells, ({ processes }) => processes);
  return printCurve(title, whose, [...byCount.values()].map(summarize));
}

/** Each by its id; one that does not end in ten seconds is killed. */
async function endAll({ children }: Scene): Promise<void> {
  await Promise.all(
    children.splice(0).map(async (child) => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, 'exit');
      if (child.connected) child.disconnect();
      const timer = setTimeout(() => child.kill('SIGKILL'), 10_000);
      await exited;
      clearTimeout(timer);
    }),
  );
}
