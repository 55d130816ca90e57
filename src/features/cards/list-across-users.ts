import { type CardStatus, idForm } from '#adapters/issuer';
import type { Ctx } from '#context';
import {
  type CursorInput,
  type CursorPage,
  decodeCursor,
  toCursorPage,
} from '#platform/commands/cursor-page';
import { type CardRow, selectAcrossUsers } from './queries/cards.ts';

export interface AcrossUsers extends CursorInput {
  userId?: string;
  status?: CardStatus;
}

/** Cards of all users, in order of their ids. */
export async function listAcrossUsers(
  ctx: Ctx,
  { userId, status, limit = 50, cursor }: AcrossUsers,
): Promise<CursorPage<CardRow>> {
  const name = `cards ${userId?.toLowerCase() ?? ''} ${status ?? ''}`;
  const after = decodeCursor(name, cursor, idForm);
  const rows = await selectAcrossUsers(ctx.db, { userId, status, after, limit: limit + 1 });
  return toCursorPage(name, rows, limit, ({ id }) => id);
}
