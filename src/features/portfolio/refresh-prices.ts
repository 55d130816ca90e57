import type { Ctx } from '#context';
import { upsertQuotes } from './queries.ts';

export interface RefreshedPrices {
  /** How many prices the source has. */
  read: number;
  /** How many of them are not older than what was known. */
  stored: number;
  /** Names of the source whose price or name is invalid. */
  refused: string[];
  quotedAt: Date;
}

/** By how much the clocks of two processes may differ. */
const clockSkewMaxMs = 5 * 60_000;

/**
 * Reads the price source and keeps what is not older than what is known. A price is as old as its source
 * says, and at least as old as the question; a source from the future is as of now. Throws a `PriceFault`,
 * and everything stays as it was.
 */
export async function refreshPrices(ctx: Ctx): Promise<RefreshedPrices> {
  const { asOf, prices, refused } = await ctx.prices.read();
  const quotedAt = asOf && asOf < ctx.now ? asOf : ctx.now;
  const stored = await upsertQuotes(ctx.db, {
    prices,
    quotedAt,
    refreshedAt: ctx.now,
    quotedAtMax: new Date(ctx.now.getTime() + clockSkewMaxMs),
    kept: [...new Set([...ctx.evm.values()].flatMap(({ tokens }) => [...tokens.keys()]))],
  });
  return { read: prices.size, stored, refused, quotedAt };
}
