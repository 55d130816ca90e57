import type { Pool } from '#platform/db/db';
import type { Log } from '#platform/observe/log';

export type Bench = (deps: {
  db: Pool;
  databaseUrl: string;
  log: Log;
  /** Of those that a bench has; all of them where none is named. */
  parts: readonly string[];
}) => Promise<void>;

/**
 * Calls a second of each candidate, round by round, so that the machine's noise falls on all of them alike;
 * medians.
 */
export async function compareRates<T extends string>(
  candidates: Record<T, () => Promise<unknown>>,
  { rounds = 7, roundMs = 500, concurrency = 10 } = {},
): Promise<Record<T, number>> {
  const names = Object.keys(candidates) as T[];
  const measures = names.map((name) => [name, () => measureRate(candidates[name], roundMs, concurrency)]);
  const rates = await measureRounds<T>(Object.fromEntries(measures), rounds);
  return Object.fromEntries(names.map((name) => [name, median(rates[name])])) as Record<T, number>;
}

/** The figure of each round of each candidate. */
export async function measureRounds<T extends string>(
  candidates: Record<T, () => Promise<number>>,
  rounds: number,
): Promise<Record<T, number[]>> {
  const figures = {} as Record<T, number[]>;
  const names = Object.keys(candidates) as T[];
  for (const name of names) figures[name] = [];
  for (let round = -1; round < rounds; round++) {
    for (const name of names) {
      const figure = await candidates[name]();
      if (round >= 0) figures[name].push(figure); // the first round warms up
    }
  }
  return figures;
}

export async function measureRate(
  call: () => Promise<unknown>,
  roundMs: number,
  concurrency: number,
): Promise<number> {
  const startedAt = performance.now();
  let calls = 0;
  const lane = async () => {
    while (performance.now() - startedAt < roundMs) {
      await call();
      calls++;
    }
  };
  await Promise.all(Array.from({ length: concurrency }, lane));
  return (calls * 1000) / (performance.now() - startedAt);
}

/** By CPU, because other work on the machine changes what a second is worth. */
export async function countPerCpuSecond(call: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  const startedAt = performance.now();
  const rate = await measureRate(call, 3_000, 10);
  const seconds = (performance.now() - startedAt) / 1000;
  const { user, system } = process.cpuUsage(before);
  return (rate * seconds) / ((user + system) / 1e6);
}

export function median(numbers: number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)]!;
}

export function printRatio(what: string, rate: number, limit: number): void {
  const figures = `${Math.round(rate)}/s against ${Math.round(limit)}/s`;
  console.log(`${what}: ${(rate / limit).toFixed(2)} (${figures})`);
}

/**
 * The median of the ratios of the rounds: a burst of other work on the machine falls on both sides of a
 * round.
 */
export function printRounds(what: string, rates: readonly number[], limits: readonly number[]): void {
  const ratio = median(rates.map((rate, round) => rate / limits[round]!));
  const figures = `${Math.round(median([...rates]))}/s against ${Math.round(median([...limits]))}/s`;
  console.log(`${what}: ${ratio.toFixed(2)} (${figures})`);
}

/** How often calls whose times are compared are made, after how many that are not counted. */
export const warmUpTurns = 8;
export const turns = 25;

/** What each turn of each call took, in milliseconds. */
export async function takeTurns(
  calls: readonly (() => Promise<unknown>)[],
  count = turns,
): Promise<number[][]> {
  const times: number[][] = calls.map(() => []);
  for (let turn = -warmUpTurns; turn < count; turn++) {
    for (const [n, call] of calls.entries()) {
      const startedAt = performance.now();
      await call();
      if (turn >= 0) times[n]!.push(performance.now() - startedAt);
    }
  }
  return times;
}

/**
 * The median of the ratios of the turns: a burst of other work on the machine falls on both sides of a turn.
 */
export const ratioOf = (times: readonly number[], of: readonly number[]) =>
  median(times.map((ms, turn) => ms / of[turn]!));

/** The highest of many ratios, and how many are above what they should be. */
export function noteWorst(goal: number) {
  const highest: Record<string, { ratio: number; what: string }> = {};
  const missed: Record<string, number> = {};
  return {
    note(kind: string, ratio: number, what: string) {
      if (ratio > (highest[kind]?.ratio ?? 0)) highest[kind] = { ratio, what };
      missed[kind] = (missed[kind] ?? 0) + (ratio > goal ? 1 : 0);
    },
    print(title: string) {
      if (Object.keys(highest).length === 0) throw new Error('nothing was measured');
      for (const [kind, { ratio, what }] of Object.entries(highest)) {
        console.log(
          `${title}, worst (goal: at most ${goal}), ${kind}: ${ratio.toFixed(2)} (${what}); above the goal: ${missed[kind]}`,
        );
      }
    },
  };
}

export type Worst = ReturnType<typeof noteWorst>;
