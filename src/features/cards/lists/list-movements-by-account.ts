import type { Ctx } from '#context';
import type { NumberedPage } from '#platform/commands/cursor-page';
import { type AccountMovements, selectMovementsByAccount } from './queries/movements.ts';
import type { CardWindow } from './queries/page.ts';

/** The same page of each of a user's accounts, oldest account first; one without movements has none. */
export async function listMovementsByAccount(
  ctx: Ctx,
  { currentPage, pageSize, ...filter }: { userId: string } & CardWindow & NumberedPage,
): Promise<{ accounts: AccountMovements[] }> {
  const page = { offset: currentPage * pageSize, limit: pageSize };
  return { accounts: await selectMovementsByAccount(ctx.db, filter, page) };
}
