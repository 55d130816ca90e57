import type { NetworkSettings } from '#adapters/evm';
import type { PayoutStep } from '#features/payouts';
import type { MutantName } from './mutants.ts';

export interface WorkerOrders {
  databaseUrl: string;
  logFile: string;
  network: NetworkSettings;
  /** Ends itself with SIGKILL in one of these steps, when it has come to any for so many times. */
  dieAt?: { steps: readonly PayoutStep[]; hit: number };
  mutant?: MutantName;
  isReplicationSynchronous?: boolean;
}

export const writeOrders = (orders: WorkerOrders): string =>
  JSON.stringify(orders, (_, value) => (typeof value === 'bigint' ? `${value}n` : value));

export const readOrders = (line: string): WorkerOrders =>
  JSON.parse(line, (_, value) =>
    typeof value === 'string' && /^\d+n$/.test(value) ? BigInt(value.slice(0, -1)) : value,
  );
