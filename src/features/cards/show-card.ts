import type { Ctx } from '#context';
import { cardErrors } from './errors.ts';
import { isOwn } from './is-own.ts';
import { type CardRow, selectOwnCard } from './queries/cards.ts';

/** A card of the user's; not found where any of the three does not fit the others. */
export async function showCard(
  ctx: Ctx,
  card: { userId: string; cardId: string; cardIssuerUserId: string },
): Promise<CardRow> {
  const row = isOwn(ctx, card.userId) ? await selectOwnCard(ctx.db, card) : undefined;
  if (!row) throw cardErrors.cardNotFound();
  return row;
}
