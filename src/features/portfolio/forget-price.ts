import { priceDecimals } from '#adapters/prices';
import { type Ctx, inTransaction } from '#context';
import { recordChange } from '#features/audit';
import { formatMinor } from '#platform/values/money';
import { portfolioErrors } from './errors.ts';
import { deletePrice } from './queries.ts';

export interface ForgottenPrice {
  token: string;
  priceUsd: string;
  quotedAt: string;
}

/**
 * Deletes the stored price of a token: balances in it have no value until the source has a price again. For a
 * token that the source stopped listing, whose last price would stay for ever.
 */
export function forgetPrice(ctx: Ctx, { token }: { token: string }): Promise<ForgottenPrice> {
  return inTransaction(ctx, async (ctx) => {
    const row = await deletePrice(ctx.db, token);
    if (!row) throw portfolioErrors.priceNotFound();
    const { price, quotedAt } = row;
    const before = { priceUsd: formatMinor(price, priceDecimals), quotedAt: quotedAt.toISOString() };
    await recordChange(ctx, { action: 'prices.forget', subject: `price:${token}`, before });
    return { token, ...before };
  });
}
