import { isDeepStrictEqual } from 'node:util';
import { PriceFault } from '#adapters/prices';
import type { Ctx } from '#context';
import { demoUsers } from '#features/users';
import { readPositions, type WrittenPosition } from './position.ts';
import { recordPositions } from './record-positions.ts';
import { refreshPrices } from './refresh-prices.ts';
import { showPositions } from './show-positions.ts';

const positions: readonly WrittenPosition[] = [
  { kind: 'staked', token: 'ETH', network: 'ethereum', amount: '1.25' },
  { kind: 'tokenized', token: 'PAXG', network: 'ethereum', amount: '0.75', costUsd: '1830.00' },
];

/**
 * First prices, and what the sandbox's owner has elsewhere; what somebody recorded instead stays. Not within
 * a transaction, because the price source is asked.
 */
export async function seedPortfolio(ctx: Ctx): Promise<void> {
  try {
    await refreshPrices(ctx);
  } catch (error) {
    if (!(error instanceof PriceFault)) throw error;
    ctx.log.warn({ err: error }, 'no initial prices; the worker retries');
  }
  const { id: userId } = demoUsers.owner;
  const known = await showPositions(ctx, { userId });
  const isOurs = !known || isDeepStrictEqual(known.positions, readPositions(positions));
  // A clock that was set back must not prevent the start.
  if (isOurs && !(known && known.asOf > ctx.now)) await recordPositions(ctx, { userId, positions });
}
