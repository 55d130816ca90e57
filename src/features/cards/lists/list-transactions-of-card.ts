import type { Ctx } from '#context';
import {
  type CardTransactionStatus,
  type CardTransactionView,
  cardExists,
  cardTransactionStatuses,
  selectTransactionsOfCard,
} from './queries/transactions.ts';

export interface CardTransactionsRequest {
  userId: string;
  cardId: string;
  cardIssuerUserId: string;
  status?: CardTransactionStatus;
  pageSize: number;
  currentPage?: number;
}

/**
 * A page of one card's transactions, newest first, and whether there are more; undefined for a card that the
 * user does not have in that account.
 */
export async function listTransactionsOfCard(
  ctx: Ctx,
  { userId, cardId, cardIssuerUserId, status, pageSize, currentPage = 0 }: CardTransactionsRequest,
): Promise<{ transactions: CardTransactionView[]; hasNextPage: boolean } | undefined> {
  if (!(await cardExists(ctx.db, { userId, cardId, cardIssuerUserId }))) return undefined;
  const statuses = status === undefined ? cardTransactionStatuses : [status];
  const page = { offset: currentPage * pageSize, limit: pageSize + 1 };
  const transactions = await selectTransactionsOfCard(ctx.db, { cardId, statuses }, page);
  return { transactions: transactions.slice(0, pageSize), hasNextPage: transactions.length > pageSize };
}
