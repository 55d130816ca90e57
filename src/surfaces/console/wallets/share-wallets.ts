import { setTimeout as after } from 'node:timers/promises';
import type { Deps } from '#context';
import type { CallCommand } from '../call-command.ts';
import type { Wallet } from './read-wallets.ts';

/** How long a page waits for nodes, other pages use the same read, and an old one is shown if nodes hang. */
const [waitMs, sharedForMs, keptForMs] = [1_000, 4_000, 300_000];

export interface WalletsRead {
  wallets: readonly Wallet[];
  readAt: Date;
}

export interface SharedWallets {
  /** Joins the read that is under way, or begins one. */
  read(call: CallCommand): Promise<WalletsRead>;
  /** What is known after a second at most: an earlier read if a node is slow, or nothing. */
  findKnown(call: CallCommand): Promise<{ known: WalletsRead | undefined; isLate: boolean }>;
}

/**
 * One read of `wallets.show` at a time for all pages of this process: reads that wait for a hanging node
 * would otherwise fill the places of operator commands. Every role may see the wallets.
 */
export function shareWallets({ clock, log }: Pick<Deps, 'clock' | 'log'>): SharedWallets {
  let last: WalletsRead | undefined;
  let underWay: Promise<WalletsRead> | undefined;
  const isWithin = (ms: number) => last !== undefined && clock().getTime() - last.readAt.getTime() < ms;

  async function begin(call: CallCommand): Promise<WalletsRead> {
    const readAt = clock();
    const { data } = await call('wallets.show');
    last = { wallets: data.wallets as Wallet[], readAt };
    return last;
  }

  const read: SharedWallets['read'] = (call) => {
    underWay ??= begin(call).finally(() => {
      underWay = undefined;
    });
    return underWay;
  };

  return {
    read,
    async findKnown(call) {
      if (isWithin(sharedForMs)) return { known: last, isLate: false };
      const stop = new AbortController();
      const late = after(waitMs, undefined, { signal: stop.signal }).catch(() => undefined);
      const begun = read(call).catch((error: unknown) => {
        log.warn({ err: error }, 'the hot wallets could not be read');
        return undefined;
      });
      const known = await Promise.race([begun, late]);
      stop.abort();
      if (known) return { known, isLate: false };
      return { known: isWithin(keptForMs) ? last : undefined, isLate: true };
    },
  };
}
