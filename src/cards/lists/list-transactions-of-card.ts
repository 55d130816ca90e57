import type { Ctx } from '../../context.ts';
import {
  type CardTransactionStatus,
  type CardTransactionView,
  cardTransactionStatuses,
} from './list-card-transactions.ts';
import { cardExists, selectTransactionsOfCard } from './queries.ts';

export interface CardTransactionsRequest {
  userId: string;
  cardId: string;
  cardIssuerUserId: string;
  status?: CardTransactionStatus;
  pageSize: number;
  currentPage?: number;
}

/** A page of one card's transactions, newest first; undefined for a card that the user does not have in that account. */
export async function listTransactionsOfCard(
  ctx: Ctx,
  { userId, cardId, cardIssuerUserId, status, pageSize, currentPage = 0 }: CardTransactionsRequest,
): Promise<{ transactions: CardTransactionView[] } | undefined> {
  if (!(await cardExists(ctx.db, { userId, cardId, cardIssuerUserId }))) return undefined;
  const statuses = status === undefined ? cardTransactionStatuses : [status];
  const page = { offset: currentPage * pageSize, limit: pageSize };
  return { transactions: await selectTransactionsOfCard(ctx.db, { cardId, statuses }, page) };
}
