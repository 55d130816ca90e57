import type { Ctx } from '#context';
import {
  type CursorInput,
  type CursorPage,
  decodeCursor,
  toCursorPage,
} from '#platform/commands/cursor-page';
import { selectKeys } from './queries.ts';
import { keyIdForm } from './token.ts';
import { type ListedKey, presentListedKey } from './wire.ts';

export interface ListKeys extends CursorInput {
  partnerId?: string;
  userId?: string;
}

/** Keys without their secrets, with their state and last use, in a stable order. */
export async function listKeys(ctx: Ctx, input: ListKeys): Promise<CursorPage<ListedKey>> {
  const { partnerId, userId, limit = 50 } = input;
  const after = decodeCursor('keys.list', input.cursor, keyIdForm);
  const rows = await selectKeys(ctx.db, { partnerId, userId, after, limit: limit + 1 });
  const keys = rows.map((row) => presentListedKey(row, ctx.now));
  return toCursorPage('keys.list', keys, limit, ({ id }) => id);
}
