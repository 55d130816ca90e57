import type { LineView } from '../open-statement.ts';

/** What the balance changed by: what was received, else what was sent. */
export const signedAmount = ({ amount, amountReceived }: LineView) =>
  amountReceived === null ? `-${amount}` : amount;
