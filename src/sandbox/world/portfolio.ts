import { isDeepStrictEqual } from 'node:util';
import { PriceFault } from '#adapters/prices';
import type { Ctx } from '#context';
import {
  readPositions,
  recordPositions,
  refreshPrices,
  showPositions,
  type WrittenPosition,
} from '#features/portfolio';
import { demoUsers } from './people.ts';
import { daysBefore } from './time.ts';

/** As old as the last report of the shop's custodian: its balance is stale. */
const oldReportDays = 9;

/** `MVRD` has no price anywhere. */
const positionsOfBusiness: readonly WrittenPosition[] = [
  { kind: 'staked', token: 'ETH', network: 'ethereum', amount: '4' },
  { kind: 'tokenized', token: 'MVRD', network: 'polygon', amount: '1200', costUsd: '2400.00' },
];

const positions: readonly WrittenPosition[] = [
  { kind: 'staked', token: 'ETH', network: 'ethereum', amount: '1.25' },
  { kind: 'tokenized', token: 'PAXG', network: 'ethereum', amount: '0.75', costUsd: '1830.00' },
];

/**
 * First prices, and what the sandbox's owner has elsewhere; what somebody recorded instead stays. Not within
 * a transaction, because the price source is asked.
 */
export async function recordPortfolio(ctx: Ctx): Promise<void> {
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
  const { id: businessId } = demoUsers.business;
  if (!(await showPositions(ctx, { userId: businessId }))) {
    const asOf = daysBefore(ctx.now, oldReportDays).toISOString();
    await recordPositions(ctx, { userId: businessId, asOf, positions: positionsOfBusiness });
  }
}
