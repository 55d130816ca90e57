import type { Ctx } from '../context.ts';
import { type CursorInput, type CursorPage, decodeCursor, toCursorPage } from '../platform/page.ts';
import { tokenForm } from '../prices/index.ts';
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
