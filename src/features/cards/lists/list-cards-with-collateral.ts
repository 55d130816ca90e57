import type { CardStatus } from '#adapters/issuer';
import type { Ctx } from '#context';
import type { NumberedPage } from '#platform/commands/cursor-page';
import { cardErrors } from '../errors.ts';
import { statusesOf } from './list-cards.ts';
import type { AccountFunds } from './queries/card-facts.ts';
import { type NamedCard, selectCardsWithFunds } from './queries/cards.ts';
import { spendable } from './spendable.ts';

export interface NamedCardsRequest extends NumberedPage {
  userId: string;
  cardId?: string;
  cardIssuerUserId?: string;
  /** Without it, all but canceled ones; a card that is asked for by its id, whatever it is. */
  status?: CardStatus | 'all';
}

/** Amounts are US cents. */
export interface SpendableCard extends NamedCard {
  spendableMinor: bigint;
}

export interface NamedCards {
  total: number;
  cards: SpendableCard[];
  /** All accounts of the user, oldest first, whichever cards are asked for. */
  accounts: AccountFunds[];
}

/**
 * A page of a user's cards as they are now, newest first, how many there are, and the user's accounts: in one
 * statement. A card or an account that is not the user's is not found; a card that is, in another account or
 * status than is asked for, neither.
 */
export async function listCardsWithCollateral(
  ctx: Ctx,
  { userId, cardId, cardIssuerUserId, status, currentPage, pageSize }: NamedCardsRequest,
): Promise<NamedCards> {
  const statuses = statusesOf(status ?? (cardId === undefined ? undefined : 'all'));
  const page = { offset: currentPage * pageSize, limit: pageSize };
  const filter = { userId, cardId, cardIssuerUserId, statuses, now: ctx.now };
  const { total, accounts, cards } = await selectCardsWithFunds(ctx.db, { ...filter, ...page });
  if (cardId !== undefined && total === 0) throw cardErrors.cardNotFound();
  const isOwn = accounts.some((account) => account.cardIssuerUserId === cardIssuerUserId);
  if (cardIssuerUserId !== undefined && !isOwn) throw cardErrors.cardAccountNotFound();
  return { total, accounts, cards: cards.map((card) => ({ ...card, spendableMinor: spendable(card) })) };
}
