import type { Ctx } from '#context';
import { selectEventCursor } from '../queries/cursor.ts';
import { behindMs } from './timing.ts';

/**
 * Whether what is known of collateral is not what the issuer knows: a database that is reading old events
 * again has seen balances run low that were refilled long ago. Where something is always happening there is
 * always something unread; what is unread for a while is another matter. Throws an `IssuerFault` where the
 * issuer does not answer.
 */
export async function isBehind(ctx: Ctx): Promise<boolean> {
  const { lastSequence: after } = await selectEventCursor(ctx.db);
  const [unread] = await ctx.issuer.readEvents({ after, limit: 1 });
  return unread !== undefined && Date.parse(unread.createdAt) < ctx.now.getTime() - behindMs;
}
