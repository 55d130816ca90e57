import type { Ctx } from '#context';
import { selectQuotes } from './queries.ts';
import { valueInCents } from './usd.ts';

/**
 * What amounts are worth in US cents at the newest prices; null where no price is known.
 * @example
 * const [value] = await valueAssets(ctx, [{ currency: 'EURC', amount: 1_500_000n, decimals: 6 }]);
 */
export async function valueAssets(
  { db }: Ctx,
  amounts: readonly { currency: string; amount: bigint; decimals: number }[],
): Promise<({ cents: bigint; quotedAt: Date } | null)[]> {
  const tokens = [...new Set(amounts.map(({ currency }) => currency))];
  const quotes = await selectQuotes(db, tokens);
  return amounts.map((one) => {
    const quote = quotes.get(one.currency);
    return quote ? { cents: valueInCents(one, quote.price), quotedAt: quote.quotedAt } : null;
  });
}
