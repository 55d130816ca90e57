import type { Ctx, KeyActor } from '#context';
import { describePage, type NumberedPage } from '#platform/commands/cursor-page';
import { listCardTransactions } from './lists/list-card-transactions.ts';
import { type CardsRequest, listCards } from './lists/list-cards.ts';
import { listMovements } from './lists/list-movements.ts';
import type { CardWindow } from './lists/queries/page.ts';
import { balanceExample, summaryExample, transactionsExample } from './reference.ts';
import {
  movementsPage,
  presentCard,
  presentMovement,
  presentTransaction,
  snapshotsPage,
  transactionsPage,
} from './wire.ts';

interface CardsHistoryRequest extends NumberedPage, CardWindow {
  filterByText?: string;
  asOf?: Date;
  /** One of the contract's, which the query's schema has seen to. */
  status?: string;
}

/** What `GET /api/history` reads of cards: the owner of the key is the user. */
export const cardReaders = [
  {
    feature: 'cards-transactions',
    words: 'payments by card and refunds; `filterByText` searches merchant and description',
    answer: transactionsPage,
    example: transactionsExample,
    async read(ctx: Ctx<KeyActor>, request: CardsHistoryRequest) {
      const { currentPage, pageSize, startAt, endAt, filterByText: text } = request;
      const page = { currentPage, pageSize };
      const { userId } = ctx.actor;
      const { total, transactions } = await listCardTransactions(ctx, {
        userId,
        startAt,
        endAt,
        text,
        ...page,
      });
      return {
        userCardTransactions: transactions.map(presentTransaction),
        pagination: describePage(total, page),
      };
    },
  },
  {
    feature: 'cards-summary',
    words: 'the cards as they were at `asOf`; without `status`, canceled cards are hidden',
    answer: snapshotsPage,
    example: summaryExample,
    async read(ctx: Ctx<KeyActor>, { currentPage, pageSize, asOf, status }: CardsHistoryRequest) {
      const page = { currentPage, pageSize };
      const { total, cards } = await listCards(ctx, {
        userId: ctx.actor.userId,
        asOf,
        status: status as CardsRequest['status'],
        ...page,
      });
      return { userCardsSnapshot: cards.map(presentCard), pagination: describePage(total, page) };
    },
  },
  {
    feature: 'cards-balance',
    words: 'movements of the collateral behind the cards',
    answer: movementsPage,
    example: balanceExample,
    async read(ctx: Ctx<KeyActor>, { currentPage, pageSize, startAt, endAt }: CardsHistoryRequest) {
      const page = { currentPage, pageSize };
      const { total, movements } = await listMovements(ctx, {
        userId: ctx.actor.userId,
        startAt,
        endAt,
        ...page,
      });
      return {
        cardIssuerUserCollateralMovement: movements.map(presentMovement),
        pagination: describePage(total, page),
      };
    },
  },
];
