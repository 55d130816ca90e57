import type { CallCommand } from '../call-command.ts';

/** A row of `wallets.show`. */
export interface Wallet {
  network: string;
  address: string;
  isCurrent: boolean;
  laneDepth: number;
  haltedAt: string | null;
  haltedReason: string | null;
  waiting: { waitingFor: string; count: number }[];
  onChain: null | {
    gas: string;
    payoutsLeft: number | null;
    tokens: { currency: string; balance: string }[];
  };
}

/** The answer of `wallets.activity`. */
export interface Activity {
  hours: { hour: string; settled: number; medianSeconds: number | null; p95Seconds: number | null }[];
  wallets: { network: string; address: string; settled: number }[];
}

export interface LastingWallet extends Wallet {
  /** How long the gas lasts at the rate of the last 24 hours; undefined without payouts or balance. */
  daysLeft: number | undefined;
}

export function addDaysLeft(wallets: readonly Wallet[], activity: Activity): LastingWallet[] {
  return wallets.map((wallet) => {
    const { network, address, onChain } = wallet;
    const same = activity.wallets.find((one) => one.network === network && one.address === address);
    const left = onChain?.payoutsLeft ?? undefined;
    return { ...wallet, daysLeft: left !== undefined && same ? left / same.settled : undefined };
  });
}

export const readActivity = async (call: CallCommand): Promise<Activity> =>
  (await call('wallets.activity')).data as unknown as Activity;
