import type { Ctx } from '#context';
import { isBehind } from './is-behind.ts';
import { hasShort, insertRefills } from './queries/refills.ts';
import { turnMax } from './timing.ts';

/**
 * Opens a refill for each account whose collateral is under its threshold, unless one is open or was made for
 * the same fall. Only while what is known of collateral is what the issuer knows. Throws an `IssuerFault`
 * where the issuer does not answer.
 */
export async function openRefills(ctx: Ctx, limit = turnMax): Promise<number> {
  if (!(await hasShort(ctx.db, ctx.now)) || (await isBehind(ctx))) return 0;
  return (await insertRefills(ctx.db, ctx.now, limit)).length;
}
