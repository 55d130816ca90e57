/** What a pending withdrawal waits for (`withdrawals.waiting_for`), beside the symbol of a currency. */
export const waitReasons = [
  'gas',
  'fees',
  'node',
  'screening',
  'disagreement',
  'replication',
  'token',
  'halted',
  'wallet key',
  'found payment',
  'approval',
  'paused',
  'user suspended',
  'partner suspended',
  'key suspended',
] as const;
