import type { Ctx } from '#context';
import { byId, type CursorInput, type CursorPage, readCursorPage } from '#platform/commands/cursor-page';
import { type RefillRow, selectAcrossUsers } from './queries/lists.ts';
import type { RefillStatus } from './states.ts';

export interface RefillsAcrossUsers extends CursorInput {
  userId?: string;
  status?: RefillStatus;
}

/** Refills of all users, oldest first. */
export const listRefillsAcrossUsers = (
  ctx: Ctx,
  { userId, status, ...input }: RefillsAcrossUsers,
): Promise<CursorPage<RefillRow>> =>
  readCursorPage(byId(`cards.refills ${userId?.toLowerCase() ?? ''} ${status ?? ''}`), input, (from) =>
    selectAcrossUsers(ctx.db, { userId, status, ...from }),
  );
