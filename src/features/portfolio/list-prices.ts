import { tokenForm } from '#adapters/prices';
import type { Ctx } from '#context';
import {
  type CursorInput,
  type CursorPage,
  decodeCursor,
  toCursorPage,
} from '#platform/commands/cursor-page';
import { type PriceRow, selectPrices } from './queries.ts';

/** The prices that are known, in order of their tokens. */
export async function listPrices(
  ctx: Ctx,
  { limit = 50, cursor }: CursorInput,
): Promise<CursorPage<PriceRow>> {
  const after = decodeCursor('prices', cursor, tokenForm);
  const rows = await selectPrices(ctx.db, { after, limit: limit + 1 });
  return toCursorPage('prices', rows, limit, ({ token }) => token);
}
