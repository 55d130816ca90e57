import type { IssuerCard, SpendingInterval } from '#adapters/issuer';
import { cents, type State } from './state.ts';

/** Start of the current interval, by the UTC calendar; a week begins on Monday. */
export function intervalStart(interval: SpendingInterval, now: Date): Date {
  const [year, month, day] = [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()];
  switch (interval) {
    case 'daily':
      return new Date(Date.UTC(year, month, day));
    case 'weekly':
      return new Date(Date.UTC(year, month, day - ((now.getUTCDay() + 6) % 7)));
    case 'monthly':
      return new Date(Date.UTC(year, month, 1));
    case 'yearly':
      return new Date(Date.UTC(year, 0, 1));
    case 'all-time':
      return new Date(0);
  }
}

/**
 * Purchases with the card since then, authorized and settled, minus refunds since then. A refund of an
 * earlier interval's purchase does not make it negative.
 */
export function spentIn(state: State, { id, spendingInterval }: IssuerCard, now: Date): bigint {
  const since = intervalStart(spendingInterval, now).toISOString();
  const spent = (state.transactionsOfCard.get(id) ?? [])
    .map((transactionId) => state.transactions.get(transactionId)!)
    .filter(({ status, createdAt }) => (status === 'pending' || status === 'settled') && createdAt >= since)
    .reduce((sum, { type, amount }) => sum + (type === 'purchase' ? cents(amount) : -cents(amount)), 0n);
  return spent > 0n ? spent : 0n;
}
