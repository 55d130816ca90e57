import type { Ctx } from '#context';
import type { NumberedPage } from '#platform/commands/cursor-page';
import { type RefillRow, selectRefillPage } from './queries/lists.ts';

/** A refill of the collateral behind a user's cards. */
export interface RefillView extends Omit<RefillRow, 'amount'> {
  /** In US cents. */
  amountMinor: bigint;
}

/** A page of the refills of all of a user's accounts, newest first, and how many there are. */
export async function listRefills(
  ctx: Ctx,
  { userId, currentPage, pageSize }: { userId: string } & NumberedPage,
): Promise<{ total: number; refills: RefillView[] }> {
  const page = { userId, offset: currentPage * pageSize, limit: pageSize };
  const { total, refills } = await selectRefillPage(ctx.db, page);
  return { total, refills: refills.map(({ amount, ...refill }) => ({ ...refill, amountMinor: amount })) };
}
