import type { Ctx } from '#context';
import { userErrors, userExists } from '#features/users';
import { formatMinor } from '#platform/values/money';
import { decimalsOf } from './assets.ts';
import { type Asset, selectBalances } from './queries/accounts.ts';

export interface BalanceView extends Asset {
  balance: string;
  held: string;
  available: string;
}

/** What a user has of each asset, as decimal strings. */
export async function listBalances(
  ctx: Ctx,
  { userId }: { userId: string },
): Promise<{ items: BalanceView[] }> {
  if (!(await userExists(ctx.db, userId))) throw userErrors.userNotFound();
  const accounts = await selectBalances(ctx.db, userId);
  const items = accounts.map(({ network, currency, balance, held }) => {
    const write = (minor: bigint) => formatMinor(minor, decimalsOf(ctx.evm, { network, currency }));
    return {
      network,
      currency,
      balance: write(balance),
      held: write(held),
      available: write(balance - held),
    };
  });
  return { items };
}
