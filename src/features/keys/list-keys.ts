import type { Ctx } from '#context';
import {
  type CursorInput,
  type CursorPage,
  decodeCursor,
  toCursorPage,
} from '#platform/commands/cursor-page';
import { selectKeys } from './queries.ts';
import { type KeyView, presentKey } from './wire.ts';

export interface ListKeys extends CursorInput {
  partnerId?: string;
  userId?: string;
}

/** Keys without their secrets, in a stable order. */
export async function listKeys(ctx: Ctx, input: ListKeys): Promise<CursorPage<KeyView>> {
  const { partnerId, userId, limit = 50 } = input;
  const after = decodeCursor('keys.list', input.cursor, /^[a-z2-7]{16}$/);
  const rows = await selectKeys(ctx.db, { partnerId, userId, after, limit: limit + 1 });
  return toCursorPage('keys.list', rows.map(presentKey), limit, (key) => key.id);
}
