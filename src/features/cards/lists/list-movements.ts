import type { Ctx } from '#context';
import type { NumberedPage } from '#platform/commands/cursor-page';
import { type MovementView, selectMovementPage } from './queries/movements.ts';
import type { CardWindow } from './queries/page.ts';

/**
 * A page of the movements of all of a user's accounts, newest first, and how many there are. Any page costs
 * the same.
 */
export async function listMovements(
  ctx: Ctx,
  { currentPage, pageSize, ...filter }: { userId: string } & CardWindow & NumberedPage,
): Promise<{ total: number; movements: MovementView[] }> {
  return selectMovementPage(ctx.db, filter, { offset: currentPage * pageSize, limit: pageSize });
}
