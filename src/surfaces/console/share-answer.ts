import { setTimeout as after } from 'node:timers/promises';
import type { Deps } from '#context';
import type { CallCommand } from './call-command.ts';
import type { ShownNetwork } from './nodes/shown-network.ts';
import type { Wallet } from './wallets/read-wallets.ts';

/** How long a page waits for nodes, and an old read is shown if nodes hang. */
const [waitMs, keptForMs] = [1_000, 300_000];

export type Read<Data> = Data & { readAt: Date };

export interface Known<Data> {
  known: Read<Data> | undefined;
  /** A node did not answer in time. */
  isLate: boolean;
}

export interface SharedAnswer<Data> {
  /** What is known after a second at most: an earlier read if a node is slow, or nothing. */
  findKnown(call: CallCommand): Promise<Known<Data>>;
}

export type SharedWallets = SharedAnswer<{ wallets: readonly Wallet[] }>;

export type SharedNodes = SharedAnswer<{ networks: readonly ShownNetwork[] }>;

/**
 * One read at a time of a command that asks nodes, for all pages of this process: reads that wait for a
 * hanging node would otherwise fill the places of operator commands. Every role may run the command.
 */
export function shareAnswer<Data extends object>(
  { clock, log }: Pick<Deps, 'clock' | 'log'>,
  command: string,
  /** How long other pages use the same read. */
  sharedForMs = 4_000,
): SharedAnswer<Data> {
  let last: Read<Data> | undefined;
  let underWay: Promise<Read<Data>> | undefined;
  const isWithin = (ms: number) => last !== undefined && clock().getTime() - last.readAt.getTime() < ms;

  async function begin(call: CallCommand): Promise<Read<Data>> {
    const readAt = clock();
    const { data } = await call(command);
    last = { ...(data as Data), readAt };
    return last;
  }

  /** Joins the read that is under way, or begins one. */
  function read(call: CallCommand): Promise<Read<Data>> {
    underWay ??= begin(call).finally(() => {
      underWay = undefined;
    });
    return underWay;
  }

  return {
    async findKnown(call) {
      if (isWithin(sharedForMs)) return { known: last, isLate: false };
      const stop = new AbortController();
      const late = after(waitMs, undefined, { signal: stop.signal }).catch(() => undefined);
      const begun = read(call).catch((error: unknown) => {
        log.warn({ err: error, command }, 'what nodes answer could not be read');
        return undefined;
      });
      const known = await Promise.race([begun, late]);
      stop.abort();
      if (known) return { known, isLate: false };
      return { known: isWithin(keptForMs) ? last : undefined, isLate: true };
    },
  };
}
