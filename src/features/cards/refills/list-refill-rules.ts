import type { Ctx } from '#context';
import {
  type CursorInput,
  type CursorPage,
  decodeCursor,
  toCursorPage,
} from '#platform/commands/cursor-page';
import { type RefillRule, selectRules } from './queries.ts';

const accountForm = /^[A-Za-z0-9][A-Za-z0-9_.:-]{0,99}$/;

/** Rules of all accounts, in the order of accounts. */
export async function listRefillRules(
  ctx: Ctx,
  { limit = 50, cursor }: CursorInput,
): Promise<CursorPage<RefillRule>> {
  const after = decodeCursor('cards.refill-rules', cursor, accountForm);
  const rows = await selectRules(ctx.db, { after, limit: limit + 1 });
  return toCursorPage('cards.refill-rules', rows, limit, ({ cardIssuerUserId }) => cardIssuerUserId);
}
