import { type CardStatus, cardStatuses } from '#adapters/issuer';
import type { Ctx } from '#context';
import type { NumberedPage } from '#platform/commands/cursor-page';
import { type CardState, selectCardsAsOf } from './queries/cards.ts';
import { availableLimit, spendable } from './spendable.ts';

export interface CardsRequest extends NumberedPage {
  userId: string;
  /** Default: now. Cards created later are left out. */
  asOf?: Date;
  /** The status at `asOf`. Default: all but canceled cards. */
  status?: CardStatus | 'all';
}

/** A card as it was at an instant. Amounts are US cents. */
export interface CardView extends CardState {
  /** Of the limit, what is left in the interval that was running: never below zero. */
  availableLimitMinor: bigint;
  spendableMinor: bigint;
}

const shown: readonly CardStatus[] = ['inactive', 'active', 'locked'];

/** The statuses that the contract's filter stands for. */
export function statusesOf(status: CardsRequest['status']): readonly CardStatus[] {
  if (status === undefined) return shown;
  return status === 'all' ? cardStatuses : [status];
}

/**
 * A page of a user's cards as they were, newest first, how many there were, and when the last of these states
 * began.
 */
export async function listCards(
  ctx: Ctx,
  { userId, asOf, status, currentPage, pageSize }: CardsRequest,
): Promise<{ total: number; changedAt: Date | null; cards: CardView[] }> {
  const statuses = statusesOf(status);
  const page = { offset: currentPage * pageSize, limit: pageSize };
  const { cards, ...all } = await selectCardsAsOf(ctx.db, { userId, asOf, now: ctx.now, statuses }, page);
  return { ...all, cards: cards.map(toView) };
}

const toView = (card: CardState): CardView => ({
  ...card,
  availableLimitMinor: availableLimit(card),
  spendableMinor: spendable(card),
});
