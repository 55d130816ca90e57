import type { CardStatus } from '#adapters/issuer';
import type { Ctx } from '#context';
import type { NumberedPage } from '#platform/commands/cursor-page';
import { cardErrors } from '../errors.ts';
import { statusesOf } from './list-cards.ts';
import { type NamedCard, selectCardsWithCollateral } from './queries/cards.ts';

export interface NamedCardsRequest extends NumberedPage {
  userId: string;
  cardId?: string;
  cardIssuerUserId?: string;
  /** Without it, all but canceled ones; a card that is asked for by its id, whatever it is. */
  status?: CardStatus | 'all';
}

export interface NamedCards {
  total: number;
  cards: NamedCard[];
  /** What the user has behind all of their cards, in US cents, whichever are asked for. */
  collateralMinor: bigint;
}

/**
 * A page of a user's cards as they are now, newest first, how many there are, and the user's collateral: in
 * one statement. A card or an account that is not the user's is not found; a card that is, in another account
 * or status than is asked for, neither.
 */
export async function listCardsWithCollateral(
  ctx: Ctx,
  { userId, cardId, cardIssuerUserId, status, currentPage, pageSize }: NamedCardsRequest,
): Promise<NamedCards> {
  const statuses = statusesOf(status ?? (cardId === undefined ? undefined : 'all'));
  const page = { offset: currentPage * pageSize, limit: pageSize };
  const filter = { userId, cardId, cardIssuerUserId, statuses };
  const { isAccountOwn, ...found } = await selectCardsWithCollateral(ctx.db, { ...filter, ...page });
  if (cardId !== undefined && found.total === 0) throw cardErrors.cardNotFound();
  if (cardIssuerUserId !== undefined && !isAccountOwn) throw cardErrors.cardAccountNotFound();
  return found;
}
