import { availableParallelism } from 'node:os';
import { cpuMsOf, cpuMsOfServer, readMachine } from './cpu.ts';
import type { Figures, Used } from './limit.ts';
import type { Waits, Watch } from './waits.ts';

/** Whose CPU counts as what, by process id. */
export interface Pids {
  processes: readonly number[];
  callers: readonly number[];
  postmaster: number;
}

export interface Cell {
  processes: number;
  operations: number;
  seconds: number;
  cpuMs: Used;
  /** CPU of all cores; what the host of a virtual machine took away is missing. */
  availableMs: number;
  waits: Waits;
  /** Of workers, to nodes of the chain. */
  chainCalls?: number;
}

/** One measurement: `work` returns how many operations it saw in how many seconds. */
export async function measureCell(
  { processes, pids, watch }: { processes: number; pids: Pids; watch: Watch },
  work: () => Promise<{ operations: number; seconds: number }>,
): Promise<Cell> {
  const before = readCpu(pids);
  watch.start();
  const { operations, seconds } = await work().finally(() => watch.stop());
  const after = readCpu(pids);
  const since = (kind: keyof typeof after) => after[kind] - before[kind];
  const ours = { processes: since('processes'), database: since('database'), callers: since('callers') };
  const others = Math.max(since('busy') - ours.processes - ours.database - ours.callers, 0);
  return {
    processes,
    operations,
    seconds,
    cpuMs: { ...ours, others },
    availableMs: since('available'),
    waits: await watch.stop(),
  };
}

function readCpu({ processes, callers, postmaster }: Pids) {
  const sum = (pids: readonly number[]) => pids.reduce((ms, pid) => ms + cpuMsOf(pid), 0);
  const { busyMs, availableMs } = readMachine();
  return {
    processes: sum(processes),
    callers: sum(callers),
    database: cpuMsOfServer(postmaster),
    busy: busyMs,
    available: availableMs,
  };
}

export interface Summary extends Figures {
  /** Of an operation. */
  cpuMs: Used;
  /** Of an operation; 0 where none were counted. */
  chainCalls: number;
}

/** Medians of the cells with one number of processes; waits are added up. */
export function summarize(cells: readonly Cell[]): Summary {
  const of = (read: (cell: Cell) => number) => middle(cells.map(read));
  const waits = cells.map((cell) => cell.waits);
  const active = waits.reduce((sum, one) => sum + one.active, 0);
  const waiting: Record<string, number> = {};
  for (const [event, count] of waits.flatMap((one) => Object.entries(one.waiting))) {
    waiting[event] = (waiting[event] ?? 0) + count / active;
  }
  const each = (read: (cell: Cell, kind: keyof Used) => number): Used => ({
    processes: of((cell) => read(cell, 'processes')),
    database: of((cell) => read(cell, 'database')),
    callers: of((cell) => read(cell, 'callers')),
    others: of((cell) => read(cell, 'others')),
  });
  return {
    processes: cells[0]!.processes,
    perSecond: of(({ operations, seconds }) => operations / seconds),
    cores: availableParallelism(),
    used: each(({ cpuMs, availableMs }, kind) => (cpuMs[kind] / availableMs) * availableParallelism()),
    cpuMs: each(({ cpuMs, operations }, kind) => cpuMs[kind] / operations),
    chainCalls: of(({ chainCalls = 0, operations }) => chainCalls / operations),
    waiting,
  };
}

/** The median; of an even number, the mean of the two in the middle. */
function middle(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  const at = (sorted.length - 1) / 2;
  return (sorted[Math.floor(at)]! + sorted[Math.ceil(at)]!) / 2;
}
