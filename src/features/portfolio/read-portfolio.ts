import type { Ctx } from '#context';
import { decimalsOf, selectBalances } from '#features/ledger';
import { amountDecimals } from './position.ts';
import { type Quote, selectKnown } from './queries.ts';
import { type Owned, type Portfolio, valuePortfolio } from './value-portfolio.ts';

export interface PortfolioQuestion {
  userId: string;
  /** Prices and positions older than this make it stale. */
  staleAfterMs: number;
}

/**
 * Everything that a user has, in US dollars: balances, with what is held of them, and positions elsewhere.
 */
export async function readPortfolio(
  ctx: Ctx,
  { userId, staleAfterMs }: PortfolioQuestion,
): Promise<Portfolio> {
  const balances = (await selectBalances(ctx.db, userId)).filter(({ balance }) => balance !== 0n);
  const tokens = [...new Set(balances.map(({ currency }) => currency))];
  const { positionsAt, positions, quotes } = await selectKnown(ctx.db, userId, tokens);
  const owned: Owned[] = [
    ...balances.map(({ network, currency, balance }) => ({
      kind: 'holding' as const,
      token: currency,
      network,
      quote: quotes.get(currency),
      amount: balance,
      decimals: decimalsOf(ctx.evm, { network, currency }),
    })),
    ...positions.map(({ price, ...position }) => ({
      ...position,
      decimals: amountDecimals,
      quote: chooseQuote(quotes.get(position.token), {
        // Its own price is as old as its snapshot.
        recorded: price && positionsAt ? { price, quotedAt: positionsAt } : undefined,
        staleAt: new Date(ctx.now.getTime() - staleAfterMs),
      }),
    })),
  ];
  return valuePortfolio(owned, { now: ctx.now, positionsAt, staleAfterMs });
}

/**
 * The source's price; unless it has grown old, as one does that the source no longer has, and a newer one was
 * recorded.
 */
function chooseQuote(
  listed: Quote | undefined,
  { recorded, staleAt }: { recorded: Quote | undefined; staleAt: Date },
): Quote | undefined {
  if (!listed || !recorded) return listed ?? recorded;
  return listed.quotedAt < staleAt && recorded.quotedAt > listed.quotedAt ? recorded : listed;
}
