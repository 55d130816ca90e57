import type { Ctx } from '#context';
import type { NumberedPage } from '#platform/commands/cursor-page';
import {
  selectTransactionPage,
  selectTransactionsWithText,
  type TransactionFilter,
  type UserTransactionView,
} from './queries/transactions.ts';

/**
 * A page of a user's transactions with all cards, newest first, and how many there are. Any page costs the
 * same.
 */
export async function listCardTransactions(
  ctx: Ctx,
  { currentPage, pageSize, text, ...filter }: TransactionFilter & NumberedPage,
): Promise<{ total: number; transactions: UserTransactionView[] }> {
  const page = { offset: currentPage * pageSize, limit: pageSize };
  if (text === undefined) return selectTransactionPage(ctx.db, filter, page);
  return selectTransactionsWithText(ctx.db, { ...filter, text }, page);
}
