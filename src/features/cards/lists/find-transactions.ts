import type { Ctx } from '#context';
import type { NumberedPage } from '#platform/commands/cursor-page';
import { cardErrors } from '../errors.ts';
import { selectAccounts } from '../queries/accounts.ts';
import {
  selectSelected,
  selectTotals,
  selectWithMerchant,
  type TransactionSelection,
  type TransactionTotal,
} from './queries/find.ts';
import type { CardWindow } from './queries/page.ts';
import {
  type CardTransactionStatus,
  cardTransactionStatuses,
  selectAccountOfCard,
  selectTransactionPage,
  type UserTransactionView,
} from './queries/transactions.ts';

export interface TransactionsRequest extends CardWindow, NumberedPage {
  userId: string;
  /** Default: all cards of the user, canceled ones included. */
  cardId?: string;
  cardIssuerUserId?: string;
  /** Part of the merchant's name, in any case, with or without accents. */
  merchant?: string;
  status?: CardTransactionStatus;
  /** How many transactions a search for a merchant may read. */
  searchedMax?: number;
}

/** 20 to 140 ms of a million on a busy machine (`npm run bench -- cards find`); 20,000 took up to 370 ms. */
const searchedMaxUsually = 10_000;

export interface TransactionsPage {
  /** Newest first. */
  transactions: UserTransactionView[];
  /** By status, of all pages. */
  totals: TransactionTotal[];
  total: number;
  /** The account of the one card, or the one that was named. */
  cardIssuerUserId: string | null;
  /** Only transactions from this instant on were searched, because the merchant's name is frequent. */
  searchedFrom: Date | null;
}

/** A page of the transactions that match, and the totals of all that match. */
export async function findTransactions(ctx: Ctx, request: TransactionsRequest): Promise<TransactionsPage> {
  const { currentPage, pageSize, status, merchant, searchedMax = searchedMaxUsually, ...scope } = request;
  const cardIssuerUserId = await requireOwn(ctx, scope);
  const statuses = status === undefined ? cardTransactionStatuses : [status];
  const page = { offset: currentPage * pageSize, limit: pageSize };
  const found = await select(ctx, { ...scope, statuses, merchant, searchedMax }, page);
  const total = found.totals.reduce((all, { count }) => all + count, 0);
  return { ...found, total, cardIssuerUserId };
}

async function select(
  { db }: Ctx,
  { merchant, searchedMax, ...selection }: TransactionSelection & { merchant?: string; searchedMax: number },
  page: { offset: number; limit: number },
) {
  if (merchant !== undefined) {
    return selectWithMerchant(db, { ...selection, merchant, searchedMax }, page);
  }
  const totals = await selectTotals(db, selection);
  const { cardId, cardIssuerUserId, statuses } = selection;
  const isWhole = !cardId && !cardIssuerUserId && statuses.length === cardTransactionStatuses.length;
  // The counting nodes find any page of the whole list; other lists are read up to the page.
  const transactions = isWhole
    ? (await selectTransactionPage(db, selection, page)).transactions
    : await selectSelected(db, selection, page);
  return { totals, transactions, searchedFrom: null };
}

/** A card or account of somebody else is not found, nor is a card in another account than the named one. */
async function requireOwn(
  { db }: Ctx,
  { userId, cardId, cardIssuerUserId }: Pick<TransactionsRequest, 'userId' | 'cardId' | 'cardIssuerUserId'>,
): Promise<string | null> {
  if (cardId !== undefined) {
    const account = await selectAccountOfCard(db, { userId, cardId });
    if (account === undefined || (cardIssuerUserId ?? account) !== account) throw cardErrors.cardNotFound();
    return account;
  }
  if (cardIssuerUserId === undefined) return null;
  const own = await selectAccounts(db, userId);
  if (!own.some(({ id }) => id === cardIssuerUserId)) throw cardErrors.cardAccountNotFound();
  return cardIssuerUserId;
}
