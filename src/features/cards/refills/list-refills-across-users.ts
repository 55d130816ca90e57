import type { Ctx } from '#context';
import {
  type CursorInput,
  type CursorPage,
  decodeCursor,
  toCursorPage,
} from '#platform/commands/cursor-page';
import { uuidForm } from '#platform/http/schemas';
import { type RefillRow, selectAcrossUsers } from './queries/lists.ts';
import type { RefillStatus } from './states.ts';

export interface RefillsAcrossUsers extends CursorInput {
  userId?: string;
  status?: RefillStatus;
}

/** Refills of all users, oldest first. */
export async function listRefillsAcrossUsers(
  ctx: Ctx,
  { userId, status, limit = 50, cursor }: RefillsAcrossUsers,
): Promise<CursorPage<RefillRow>> {
  const name = `cards.refills ${userId?.toLowerCase() ?? ''} ${status ?? ''}`;
  const after = decodeCursor(name, cursor, uuidForm);
  const rows = await selectAcrossUsers(ctx.db, { userId, status, after, limit: limit + 1 });
  return toCursorPage(name, rows, limit, ({ id }) => id);
}
