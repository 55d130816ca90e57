import type { Evm } from '#adapters/evm';
import type { Ctx } from '#context';
import type { Db } from '#platform/db/db';
import type { GaugeSource } from '#platform/observe/metrics';
import type { Clock } from '#platform/values/clock';

/** `skipped`: it could not be checked, and `seen` says why. */
export const states = ['ok', 'warning', 'problem', 'skipped'] as const;

export type State = (typeof states)[number];

/** What a check found, and what to do about it in one sentence. */
export interface Outcome {
  state: State;
  seen: string;
  /** Absent if nothing is to be done. */
  advice?: string;
}

/** What the app has and a context has not. */
export interface AppSources {
  /** The figures of `/metrics`. */
  gauges: readonly Gauge[];
  /** The jobs of workers that take leases. */
  jobs: readonly { name: string; everyMs: number; isShared?: true }[];
}

export interface Sources extends AppSources {
  /** Our clock, which goes on while the checks run; in milliseconds since 1970. */
  clockMs(): number;
}

export type Gauge = GaugeSource<{ db: Db; clock: Clock; evm: Evm }>;

export interface Check {
  name: string;
  run(ctx: Ctx, sources: Sources): Promise<Outcome>;
}

export const ok = (seen: string): Outcome => ({ state: 'ok', seen });
export const warning = (seen: string, advice: string): Outcome => ({ state: 'warning', seen, advice });
export const problem = (seen: string, advice: string): Outcome => ({ state: 'problem', seen, advice });
export const skipped = (seen: string, advice?: string): Outcome => ({
  state: 'skipped',
  seen,
  ...(advice && { advice }),
});

/** `1 index`, `2 indexes`. */
export const count = (number: number, one: string, many = `${one}s`): string =>
  `${number.toLocaleString('en-US')} ${number === 1 ? one : many}`;

const listedMax = 5;

/** The first few, and how many more there are. */
export function list(names: readonly string[]): string {
  const more = names.length - listedMax;
  return [...names.slice(0, listedMax), ...(more > 0 ? [`and ${more} more`] : [])].join(', ');
}
