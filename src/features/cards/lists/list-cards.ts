import { type CardStatus, cardStatuses, type SpendingInterval } from '#adapters/issuer';
import type { Ctx } from '#context';
import type { NumberedPage } from '#platform/commands/cursor-page';
import { type CardRow, selectCards } from './queries.ts';

/** A card as it was at an instant. Amounts are US cents. */
export interface CardView {
  id: string;
  cardIssuerUserId: string;
  name: string;
  nickname: string | null;
  lastFourDigits: string;
  status: CardStatus;
  spendingLimitMinor: bigint;
  spendingInterval: SpendingInterval;
  /** Of the limit, what is left in the interval that was running: never below zero. */
  availableLimitMinor: bigint;
  createdAt: Date;
}

export interface CardsRequest extends NumberedPage {
  userId: string;
  /** Now, unless told. Cards that were made later are not there. */
  asOf?: Date;
  /** As it was then. Without it, all but canceled ones. */
  status?: CardStatus | 'all';
}

const shown: readonly CardStatus[] = ['inactive', 'active', 'locked'];

/** Which ones a caller means by the contract's filter. */
export function statusesOf(status: CardsRequest['status']): readonly CardStatus[] {
  if (status === undefined) return shown;
  return status === 'all' ? cardStatuses : [status];
}

/** A page of a user's cards as they were, newest first, how many there were, and when the last of these states began. */
export async function listCards(
  ctx: Ctx,
  { userId, asOf, status, currentPage, pageSize }: CardsRequest,
): Promise<{ total: number; changedAt: Date | null; cards: CardView[] }> {
  const statuses = statusesOf(status);
  const page = { offset: currentPage * pageSize, limit: pageSize };
  const { cards, ...all } = await selectCards(ctx.db, { userId, asOf, now: ctx.now, statuses }, page);
  return { ...all, cards: cards.map(toCard) };
}

/** Refunds of what was bought in an interval before do not raise the limit, nor does a limit that was lowered become a debt. */
function toCard({ spentMinor, ...card }: CardRow): CardView {
  const left = card.spendingLimitMinor - (spentMinor > 0n ? spentMinor : 0n);
  return { ...card, availableLimitMinor: left > 0n ? left : 0n };
}
