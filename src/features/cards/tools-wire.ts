import { type Static, Type } from 'typebox';
import { cardKinds, cardStatuses, spendingIntervals } from '#adapters/issuer';
import type { NumberedPage } from '#platform/commands/cursor-page';
import { exactObject, paginate, toolPagination } from '#platform/commands/tool-shapes';
import { dateTime, nullable } from '#platform/http/schemas';
import { formatCents } from '#platform/values/money';
import { sanitizeText } from '#platform/values/sanitize-text';
import type { CreatedCards } from './create-cards.ts';
import type { CardView } from './lists/list-cards.ts';
import type { SpendableCard } from './lists/list-cards-with-collateral.ts';
import type { AccountFunds } from './lists/queries/card-facts.ts';
import type { NamedCard } from './lists/queries/cards.ts';
import type { TransactionTotal } from './lists/queries/find.ts';
import type { AccountMovements, PaymentMovementView } from './lists/queries/movements.ts';
import { cardTransactionStatuses, type UserTransactionView } from './lists/queries/transactions.ts';
import type { CardRow } from './queries/cards.ts';
import { type RefillView, refillStatuses } from './refills/index.ts';
import { toNumber } from './wire.ts';

// Texts of others are made inert. Amounts are exact decimal strings, except where the contract has a number.

const text = Type.String();
/** US dollars as a decimal string; the tools' descriptions say so once. */
const dollars = Type.String();
const oneOf = <Word extends string>(words: readonly Word[]) => Type.Enum([...words], { type: 'string' });

const inertNickname = (nickname: string | null) => (nickname === null ? null : sanitizeText(nickname));

const namedCard = {
  id: text,
  cardIssuerUserId: text,
  nickname: nullable(text),
  lastFourDigits: text,
  kind: oneOf(cardKinds),
  status: oneOf(cardStatuses),
};

const presentNamed = (card: Omit<NamedCard, 'statusReason' | 'statusChangedAt'>) => ({
  id: card.id,
  cardIssuerUserId: card.cardIssuerUserId,
  nickname: inertNickname(card.nickname),
  lastFourDigits: card.lastFourDigits,
  kind: card.kind,
  status: card.status,
});

/** An item of `cards` of `getUserCards`. */
export const toolCard = exactObject({
  ...namedCard,
  statusReason: Type.Optional(text),
  statusChangedAt: dateTime,
  spendable: Type.String({ description: 'Smaller of limit left and collateral; 0 if not active.' }),
});

export function presentToolCard(card: SpendableCard): Static<typeof toolCard> {
  const { statusReason, statusChangedAt, spendableMinor } = card;
  return {
    ...presentNamed(card),
    ...(statusReason !== null && { statusReason: sanitizeText(statusReason) }),
    statusChangedAt: statusChangedAt.toISOString(),
    spendable: formatCents(spendableMinor),
  };
}

/** A card that was made or changed. */
export const toolChangedCard = exactObject({
  ...namedCard,
  spendingLimit: dollars,
  spendingInterval: oneOf(spendingIntervals),
});

export function presentChangedCard(card: CardRow): Static<typeof toolChangedCard> {
  const { spendingLimit, spendingInterval } = card;
  return { ...presentNamed(card), spendingLimit: formatCents(spendingLimit), spendingInterval };
}

/** More warnings than this say nothing new. */
const namesakesMax = 3;

/** What the caller should know about cards that were made: they repeat others, or are not active as asked. */
export function warnOfCards(
  { cards, namesakes }: CreatedCards,
  { activate = false }: { activate?: boolean },
): string[] {
  // Also of a repetition: the caller may not have read the first answer.
  const inactive = activate ? cards.filter(({ status }) => status === 'inactive') : [];
  const more = namesakes.length - namesakesMax;
  return [
    ...namesakes
      .slice(0, namesakesMax)
      .map(
        ({ id, nickname, lastFourDigits, createdAt }) =>
          `A card named ${inertNickname(nickname)} (${id}, ending in ${lastFourDigits}) was made at ${createdAt.toISOString()}: ask the user whether to keep both; updateUserCard cancels one.`,
      ),
    ...(more > 0 ? [`Of the last day, ${more} more cards have such names: getUserCards lists them.`] : []),
    ...inactive.map(
      ({ id }) =>
        `Card ${id} was made, but the card issuer did not confirm that it is active: call updateUserCard with status active.`,
    ),
  ];
}

export const toolSecrets = exactObject(
  { encryptedPan: text, encryptedCvc: text },
  'Of a reveal: base64 of AES-GCM ciphertext under your key; getCardRevealPublicKey says how to decrypt it.',
);

/** `balances` of `getUserCards`. */
export const toolBalances = exactObject({
  totalUsd: Type.String({
    description: 'Collateral behind all cards, US dollars.',
  }),
});

export const presentBalances = (accounts: readonly AccountFunds[]): Static<typeof toolBalances> => ({
  totalUsd: formatCents(accounts.reduce((all, { collateralMinor }) => all + collateralMinor, 0n)),
});

/** An item of `accounts` of `getUserCards` and `getUserCardSummary`. */
export const toolAccount = exactObject({
  cardIssuerUserId: text,
  collateral: dollars,
  refill: nullable(exactObject({ enabled: Type.Boolean(), threshold: dollars, amount: dollars })),
});

export function presentToolAccount(account: AccountFunds): Static<typeof toolAccount> {
  const { cardIssuerUserId, collateralMinor, refill } = account;
  return {
    cardIssuerUserId,
    collateral: formatCents(collateralMinor),
    refill: refill && {
      enabled: refill.isEnabled,
      threshold: formatCents(refill.thresholdMinor),
      amount: formatCents(refill.amountMinor),
    },
  };
}

/** An item of `transactions` of `getUserCardTransactions`. */
export const toolCardTransaction = exactObject({
  id: text,
  amount: Type.Number(),
  currency: text,
  merchantName: text,
  status: oneOf(cardTransactionStatuses),
  createdAt: dateTime,
  type: oneOf(['purchase', 'refund']),
  declineReason: Type.Optional(text),
  cardId: text,
  lastFourDigits: text,
});

export function presentToolTransaction(view: UserTransactionView): Static<typeof toolCardTransaction> {
  const { id, currency, status, type, declineReason, card } = view;
  return {
    id,
    amount: toNumber(view.amountMinor),
    currency,
    merchantName: sanitizeText(view.merchantName),
    status,
    createdAt: view.createdAt.toISOString(),
    type,
    ...(declineReason !== null && { declineReason: sanitizeText(declineReason) }),
    cardId: card.id,
    lastFourDigits: card.lastFourDigits,
  };
}

/** An item of `totals` of `getUserCardTransactions`. */
export const toolTransactionTotal = exactObject({
  status: oneOf(cardTransactionStatuses),
  currency: text,
  count: Type.Integer(),
  purchases: dollars,
  refunds: dollars,
});

export function presentTransactionTotal(total: TransactionTotal): Static<typeof toolTransactionTotal> {
  const { status, count, purchasesMinor, refundsMinor } = total;
  return {
    status,
    currency: 'USD',
    count,
    purchases: formatCents(purchasesMinor),
    refunds: formatCents(refundsMinor),
  };
}

/** An item of `cardsSnapshot` of `getUserCardSummary`. */
export const toolSnapshot = exactObject({
  ...toolCard.properties,
  spendingLimit: dollars,
  availableLimit: dollars,
  spendingInterval: oneOf(spendingIntervals),
  currentNickname: Type.Optional(nullable(text)),
});

export function presentSnapshot(view: CardView): Static<typeof toolSnapshot> {
  const { nickname, currentNickname } = view;
  return {
    ...presentToolCard(view),
    spendingLimit: formatCents(view.spendingLimitMinor),
    availableLimit: formatCents(view.availableLimitMinor),
    spendingInterval: view.spendingInterval,
    ...(currentNickname !== nickname && { currentNickname: inertNickname(currentNickname) }),
  };
}

const toolMovement = exactObject({
  id: text,
  description: text,
  action: oneOf(['deposit', 'purchase', 'refund', 'adjustment']),
  status: Type.String({ description: 'pending for a hold of a payment, then completed or reversed.' }),
  amount: dollars,
  runningBalance: dollars,
  previousBalance: dollars,
  createdAt: dateTime,
  type: oneOf(['credit', 'debit']),
  transactionId: Type.Optional(text),
  cardId: Type.Optional(text),
  lastFourDigits: Type.Optional(text),
});

/** An item of `balanceMovements` of `getUserCardBalanceMovements`. */
export const toolAccountMovements = exactObject({
  cardIssuerUserId: text,
  movements: Type.Array(toolMovement),
  pagination: toolPagination,
});

export function presentAccountMovements(
  { cardIssuerUserId, total, movements }: AccountMovements,
  page: NumberedPage,
): Static<typeof toolAccountMovements> {
  return {
    cardIssuerUserId,
    movements: movements.map(presentToolMovement),
    pagination: paginate(total, page),
  };
}

/** Names of merchants are shorter; ten movements stay below 2,000 tokens. */
const descriptionMax = 120;

function presentToolMovement(view: PaymentMovementView): Static<typeof toolMovement> {
  const { transactionId, cardId, lastFourDigits } = view;
  return {
    id: view.id,
    description: sanitizeText(view.description, descriptionMax),
    action: view.action,
    status: view.status,
    amount: formatCents(view.amountMinor),
    runningBalance: formatCents(view.runningBalanceMinor),
    previousBalance: formatCents(view.previousBalanceMinor),
    createdAt: view.createdAt.toISOString(),
    type: view.type,
    ...(transactionId !== null && { transactionId }),
    ...(cardId !== null && { cardId }),
    ...(lastFourDigits !== null && { lastFourDigits }),
  };
}

/** An item of `autoRefillHistories` of `getUserCardBalanceAutomation`. */
export const toolRefill = exactObject({
  id: text,
  amount: dollars,
  status: oneOf(refillStatuses),
  retries: Type.Integer(),
  transactionHash: nullable(text),
  executedAt: nullable(dateTime),
  cardIssuerUserId: text,
  createdAt: dateTime,
  failureReason: Type.Optional(text),
});

export function presentRefill(view: RefillView): Static<typeof toolRefill> {
  const { id, amountMinor, status, retries, transactionHash, executedAt, error } = view;
  return {
    id,
    amount: formatCents(amountMinor),
    status,
    retries,
    transactionHash,
    executedAt: executedAt?.toISOString() ?? null,
    cardIssuerUserId: view.cardIssuerUserId,
    createdAt: view.createdAt.toISOString(),
    ...(status === 'failed' && error !== null && { failureReason: sanitizeText(error) }),
  };
}
