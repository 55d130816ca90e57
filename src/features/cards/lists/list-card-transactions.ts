import type { Ctx } from '#context';
import type { NumberedPage } from '#platform/commands/cursor-page';
import { selectTransactionPage, selectTransactionsWithText } from './queries.ts';
import type { CardWindow } from './window.ts';

/** What was paid with a card, or given back to it. */
export interface CardTransactionView {
  id: string;
  type: 'purchase' | 'refund';
  status: CardTransactionStatus;
  /** US cents, above zero: a refund gives them back. */
  amountMinor: bigint;
  currency: string;
  merchantName: string;
  description: string | null;
  merchantCategory: string | null;
  merchantCountry: string | null;
  /** In the merchant's currency, with as many digits as that has. */
  localAmount: string | null;
  localCurrency: string | null;
  createdAt: Date;
  authorizedAt: Date | null;
  settledAt: Date | null;
  declineReason: string | null;
}

export const cardTransactionStatuses = ['pending', 'settled', 'declined', 'reversed'] as const;
export type CardTransactionStatus = (typeof cardTransactionStatuses)[number];

/** With the card as it is now. */
export interface UserTransactionView extends CardTransactionView {
  card: { id: string; name: string; nickname: string | null; lastFourDigits: string };
}

export interface TransactionFilter extends CardWindow {
  userId: string;
  /** Somewhere in the merchant's name or the description, whatever the case and the accents. */
  text?: string;
}

/** A page of a user's transactions with all cards, newest first, and how many there are. Any page costs the same. */
export async function listCardTransactions(
  ctx: Ctx,
  { currentPage, pageSize, text, ...filter }: TransactionFilter & NumberedPage,
): Promise<{ total: number; transactions: UserTransactionView[] }> {
  const page = { offset: currentPage * pageSize, limit: pageSize };
  if (text === undefined) return selectTransactionPage(ctx.db, filter, page);
  return selectTransactionsWithText(ctx.db, { ...filter, text }, page);
}
