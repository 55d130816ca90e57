import { idForm } from '#adapters/issuer';
import type { Ctx } from '#context';
import {
  type CursorInput,
  type CursorPage,
  decodeCursor,
  toCursorPage,
} from '#platform/commands/cursor-page';
import { type RefillRule, selectRules } from './queries/rules.ts';

/** Rules of all accounts, in the order of accounts. */
export async function listRefillRules(
  ctx: Ctx,
  { limit = 50, cursor }: CursorInput,
): Promise<CursorPage<RefillRule>> {
  const after = decodeCursor('cards.refill-rules', cursor, idForm);
  const rows = await selectRules(ctx.db, { after, limit: limit + 1 });
  return toCursorPage('cards.refill-rules', rows, limit, ({ cardIssuerUserId }) => cardIssuerUserId);
}
