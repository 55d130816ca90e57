import type { CardStatus } from '#adapters/issuer';

interface CardFunds {
  status: CardStatus;
  spendingLimitMinor: bigint;
  spentMinor: bigint;
  /** Of the card's account. */
  collateralMinor: bigint;
}

/**
 * What is left of the limit in the current interval. Refunds of purchases from an earlier interval do not
 * raise it above the limit, and a lowered limit does not make it negative.
 */
export function availableLimit({
  spendingLimitMinor,
  spentMinor,
}: Pick<CardFunds, 'spendingLimitMinor' | 'spentMinor'>): bigint {
  return atLeastZero(spendingLimitMinor - atLeastZero(spentMinor));
}

/** What a payment with the card may be at most: the smaller of limit left and collateral; 0 if not active. */
export function spendable(card: CardFunds): bigint {
  if (card.status !== 'active') return 0n;
  const [left, collateral] = [availableLimit(card), atLeastZero(card.collateralMinor)];
  if (collateral < left) return collateral;
  return left;
}

const atLeastZero = (minor: bigint) => (minor > 0n ? minor : 0n);
