import { type Static, Type } from 'typebox';
import { cardStatuses, spendingIntervals } from '#adapters/issuer';
import { pagePosition } from '#platform/commands/cursor-page';
import { dateTime, nullable } from '#platform/http/schemas';
import { formatMinor } from '#platform/values/money';
import type { ShownCard } from './lists/queries/cards.ts';
import type { MovementView } from './lists/queries/movements.ts';
import { cardTransactionStatuses, type UserTransactionView } from './lists/queries/transactions.ts';

/** US dollars as the contract's JSON number: the one nearest to the exact amount, which prints as that. */
export const toNumber = (minor: bigint) => Number(formatMinor(minor, 2));

const dollars = Type.Number({ description: 'US dollars' });
const text = Type.String();
const message = Type.Optional(Type.String({ description: 'Names parameters that the feature ignored' }));
const pagination = Type.Object(pagePosition, { title: 'CardPagination' });

/** An item of `userCardTransactions`. */
export const cardTransaction = Type.Object(
  {
    transaction: Type.Object({
      id: text,
      amount: Type.Number({ description: 'US dollars, above zero; `type` says the direction' }),
      merchantName: text,
      createdAt: dateTime,
      type: Type.Enum(['purchase', 'refund']),
      status: Type.Enum([...cardTransactionStatuses]),
      currency: text,
      description: nullable(text),
      merchantCategory: nullable(text),
      merchantCountry: nullable(text),
      localAmount: nullable(text, { description: 'Decimal amount in the currency of the merchant' }),
      localCurrency: nullable(text),
      authorizedAt: nullable(dateTime),
      settledAt: nullable(dateTime),
      declineReason: nullable(text),
    }),
    card: Type.Object({ name: text, nickname: nullable(text), lastFourDigits: text }),
  },
  { title: 'CardTransaction' },
);

export const transactionsPage = Type.Object(
  { userCardTransactions: Type.Array(cardTransaction), pagination, message },
  { title: 'CardTransactionsPage' },
);

export function presentTransaction({
  card,
  amountMinor,
  ...view
}: UserTransactionView): Static<typeof cardTransaction> {
  return {
    transaction: {
      id: view.id,
      amount: toNumber(amountMinor),
      merchantName: view.merchantName,
      createdAt: view.createdAt.toISOString(),
      type: view.type,
      status: view.status,
      currency: view.currency,
      description: view.description,
      merchantCategory: view.merchantCategory,
      merchantCountry: view.merchantCountry,
      localAmount: view.localAmount,
      localCurrency: view.localCurrency,
      authorizedAt: view.authorizedAt?.toISOString() ?? null,
      settledAt: view.settledAt?.toISOString() ?? null,
      declineReason: view.declineReason,
    },
    card: { name: card.name, nickname: card.nickname, lastFourDigits: card.lastFourDigits },
  };
}

/** An item of `userCardsSnapshot`. */
export const cardSnapshot = Type.Object(
  {
    id: text,
    nickname: nullable(text),
    lastFourDigits: text,
    status: Type.Enum([...cardStatuses]),
    spendingLimit: dollars,
    spendingInterval: Type.Enum([...spendingIntervals]),
  },
  { title: 'CardSnapshot' },
);

export const snapshotsPage = Type.Object(
  { userCardsSnapshot: Type.Array(cardSnapshot), pagination, message },
  { title: 'CardsSummaryPage' },
);

export function presentCard(view: ShownCard): Static<typeof cardSnapshot> {
  const { id, nickname, lastFourDigits, status, spendingInterval } = view;
  const spendingLimit = toNumber(view.spendingLimitMinor);
  return { id, nickname, lastFourDigits, status, spendingLimit, spendingInterval };
}

/** An item of `cardIssuerUserCollateralMovement`. */
const cardMovement = Type.Object(
  {
    amount: Type.Number({ description: 'US dollars, above zero; `type` says the direction' }),
    runningBalance: dollars,
    previousBalance: dollars,
    description: text,
    createdAt: dateTime,
    type: Type.Enum(['credit', 'debit']),
  },
  { title: 'CardBalanceMovement' },
);

export const movementsPage = Type.Object(
  { cardIssuerUserCollateralMovement: Type.Array(cardMovement), pagination, message },
  { title: 'CardsBalancePage' },
);

export function presentMovement(view: MovementView): Static<typeof cardMovement> {
  return {
    amount: toNumber(view.amountMinor),
    runningBalance: toNumber(view.runningBalanceMinor),
    previousBalance: toNumber(view.previousBalanceMinor),
    description: view.description,
    createdAt: view.createdAt.toISOString(),
    type: view.type,
  };
}
