import type { Api } from './api.ts';
import type { ListPromise } from './page.ts';
import { readHistory } from './read-history.ts';
import type { CallOptions } from './transport.ts';
import type {
  AccountParams,
  Card,
  CardBalanceMovement,
  CardListParams,
  CardPageInfo,
  CardTransaction,
  CardTransactionParams,
} from './types.ts';

/** Cards of the user that owns the key. They count to the limit of history: 2 requests in 2 seconds. */
export class Cards {
  readonly #api: Api;

  constructor(api: Api) {
    this.#api = api;
  }

  /** The cards, now or as they were at `asOf`. Without `status`, canceled cards are hidden. */
  list(params: CardListParams = {}, options?: CallOptions): ListPromise<Card, CardPageInfo> {
    return readHistory(this.#api, { resource: 'cards', feature: 'cards-summary', ...params }, options, {
      items: (answer: { userCardsSnapshot: Card[]; pagination: CardPageInfo }) => answer.userCardsSnapshot,
      info: ({ pagination }) => pagination,
      keyOf: ({ id }) => id,
    });
  }

  /** Payments and refunds, newest first. */
  transactions(
    params: CardTransactionParams = {},
    options?: CallOptions,
  ): ListPromise<CardTransaction, CardPageInfo> {
    return readHistory(this.#api, { resource: 'cards', feature: 'cards-transactions', ...params }, options, {
      items: (answer: { userCardTransactions: CardTransaction[]; pagination: CardPageInfo }) =>
        answer.userCardTransactions,
      info: ({ pagination }) => pagination,
      keyOf: ({ transaction }) => transaction.id,
    });
  }

  /** Movements of the collateral behind the cards, newest first. */
  balanceMovements(
    params: AccountParams = {},
    options?: CallOptions,
  ): ListPromise<CardBalanceMovement, CardPageInfo> {
    return readHistory(this.#api, { resource: 'cards', feature: 'cards-balance', ...params }, options, {
      items: (answer: {
        cardIssuerUserCollateralMovement: CardBalanceMovement[];
        pagination: CardPageInfo;
      }) => answer.cardIssuerUserCollateralMovement,
      info: ({ pagination }) => pagination,
      // Movements have no id here. Balances before and after tell two of them apart.
      keyOf: (movement) => JSON.stringify(movement),
    });
  }
}
