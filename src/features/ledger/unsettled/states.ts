/** The contract's kinds of what is not settled; `canceled` is among what it says never settles. */
export const unsettledStatuses = [
  'awaiting-payment',
  'pending',
  'in-analysis',
  'started',
  'rejected',
  'canceled',
] as const;
export type UnsettledStatus = (typeof unsettledStatuses)[number];

/** Where each may go. From any that may go on, a record may also settle. */
export const unsettledMoves: Readonly<Record<UnsettledStatus, readonly UnsettledStatus[]>> = {
  'awaiting-payment': ['pending', 'in-analysis', 'started', 'rejected', 'canceled'],
  pending: ['in-analysis', 'started', 'rejected', 'canceled'],
  'in-analysis': ['pending', 'started', 'rejected', 'canceled'],
  started: ['in-analysis', 'rejected', 'canceled'],
  rejected: [],
  canceled: [],
};

export const isFinal = (status: UnsettledStatus) => unsettledMoves[status].length === 0;
