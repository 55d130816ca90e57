import type { Ctx } from '../../context.ts';
import { selectCollateral } from './queries.ts';

/** What a user has behind all of their cards, in US cents. */
export async function readCollateral(
  ctx: Ctx,
  { userId }: { userId: string },
): Promise<{ totalMinor: bigint }> {
  return { totalMinor: await selectCollateral(ctx.db, userId) };
}
