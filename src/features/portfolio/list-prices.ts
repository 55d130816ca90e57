import { tokenForm } from '#adapters/prices';
import type { Ctx } from '#context';
import { type CursorInput, type CursorPage, readCursorPage } from '#platform/commands/cursor-page';
import { type PriceRow, selectPrices } from './queries.ts';

/** The prices that are known, in order of their tokens. */
export const listPrices = (ctx: Ctx, input: CursorInput): Promise<CursorPage<PriceRow>> =>
  readCursorPage({ name: 'prices', keyForm: tokenForm, keyOf: ({ token }) => token }, input, (from) =>
    selectPrices(ctx.db, from),
  );
