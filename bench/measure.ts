import type { Pool } from '../src/platform/db.ts';
import type { Log } from '../src/platform/log.ts';

export type Bench = (deps: {
  db: Pool;
  databaseUrl: string;
  log: Log;
  /** Of those that a bench has; all of them where none is named. */
  parts: readonly string[];
}) => Promise<void>;

/** Calls a second of each candidate, round by round, so that the machine's noise falls on all of them alike; medians. */
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

export function median(numbers: number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)]!;
}

export function printRatio(what: string, rate: number, limit: number): void {
  const figures = `${Math.round(rate)}/s against ${Math.round(limit)}/s`;
  console.log(`${what}: ${(rate / limit).toFixed(2)} (${figures})`);
}

/** The median of the ratios of the rounds: a burst of other work on the machine falls on both sides of a round. */
export function printRounds(what: string, rates: readonly number[], limits: readonly number[]): void {
  const ratio = median(rates.map((rate, round) => rate / limits[round]!));
  const figures = `${Math.round(median([...rates]))}/s against ${Math.round(median([...limits]))}/s`;
  console.log(`${what}: ${ratio.toFixed(2)} (${figures})`);
}
