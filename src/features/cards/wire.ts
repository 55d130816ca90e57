import { formatMinor } from '#platform/values/money';
import type { CardView } from './lists/queries/cards.ts';
import type { MovementView } from './lists/queries/movements.ts';
import type { UserTransactionView } from './lists/queries/transactions.ts';

/** US dollars as the contract's JSON number: the one nearest to the exact amount, which prints as that. */
export const toNumber = (minor: bigint) => Number(formatMinor(minor, 2));

/** An item of `userCardTransactions`. */
export function presentTransaction({ card, amountMinor, ...view }: UserTransactionView): object {
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
export function presentCard(view: CardView): object {
  const { id, nickname, lastFourDigits, status, spendingInterval } = view;
  const spendingLimit = toNumber(view.spendingLimitMinor);
  return { id, nickname, lastFourDigits, status, spendingLimit, spendingInterval };
}

/** An item of `cardIssuerUserCollateralMovement`. */
export function presentMovement(view: MovementView): object {
  return {
    amount: toNumber(view.amountMinor),
    runningBalance: toNumber(view.runningBalanceMinor),
    previousBalance: toNumber(view.previousBalanceMinor),
    description: view.description,
    createdAt: view.createdAt.toISOString(),
    type: view.type,
  };
}
