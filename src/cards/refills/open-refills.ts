import type { Ctx } from '../../context.ts';
import { selectEventCursor } from '../queries.ts';
import { hasShort, insertRefills } from './queries.ts';
import { behindMs, turnMax } from './timing.ts';

/**
 * Opens a refill for each account whose collateral is under its threshold, unless one is open or was made for the same fall. Only
 * while what is known of collateral is what the issuer knows: a database that is reading old events again has seen balances run low
 * that were refilled long ago. Throws an `IssuerFault` where the issuer does not answer.
 */
export async function openRefills(ctx: Ctx, limit = turnMax): Promise<number> {
  if (!(await hasShort(ctx.db, ctx.now)) || (await isBehind(ctx))) return 0;
  return (await insertRefills(ctx.db, ctx.now, limit)).length;
}

/** Where something is always happening there is always something unread; what is unread for a while is another matter. */
async function isBehind(ctx: Ctx): Promise<boolean> {
  const { lastSequence: after } = await selectEventCursor(ctx.db);
  const [unread] = await ctx.issuer.readEvents({ after, limit: 1 });
  return unread !== undefined && Date.parse(unread.createdAt) < ctx.now.getTime() - behindMs;
}
