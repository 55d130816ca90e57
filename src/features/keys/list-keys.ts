import type { Ctx } from '#context';
import { type CursorInput, type CursorPage, readCursorPage } from '#platform/commands/cursor-page';
import { selectKeys } from './queries.ts';
import { keyIdForm } from './token.ts';
import { type ListedKey, presentListedKey } from './wire.ts';

export interface ListKeys extends CursorInput {
  partnerId?: string;
  userId?: string;
}

/** Keys without their secrets, with their state and last use, in a stable order. */
export const listKeys = (
  ctx: Ctx,
  { partnerId, userId, ...input }: ListKeys,
): Promise<CursorPage<ListedKey>> =>
  readCursorPage({ name: 'keys.list', keyForm: keyIdForm, keyOf: ({ id }) => id }, input, async (from) => {
    const rows = await selectKeys(ctx.db, { partnerId, userId, ...from });
    return rows.map((row) => presentListedKey(row, ctx.now));
  });
