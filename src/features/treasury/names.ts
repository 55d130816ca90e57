/**
 * Why chain and ledger differ. `is: 'alarm'`: below zero it is a shortfall until an operator has accepted it.
 * `is: 'basis'`: what was there when counting began, a shortfall where the sum of these is below zero.
 */
export const explanations = {
  opening: {
    is: 'basis',
    means: 'what the first comparison found: the house’s own money, or below zero, a shortfall from before',
  },
  'wallets counted later': {
    is: 'basis',
    means: 'balances of wallets that were counted after the first comparison',
  },
  'from before the count': {
    is: 'basis',
    means: 'one side of it was counted already when the comparisons began',
  },
  'open payouts': { is: 'usual', means: 'paid on chain, and not settled in the ledger yet' },
  'deposits not posted yet': { is: 'usual', means: 'received, and not read by the deposit watcher yet' },
  'transfers in below the minimum': {
    is: 'usual',
    means: 'received and, by DEPOSIT_MINIMUMS, credited to nobody',
  },
  'transfers in not credited': {
    is: 'usual',
    means: 'received and credited to nobody, such as before the wallet was registered',
  },
  'hot wallet funding': { is: 'usual', means: 'sent to a hot wallet from outside' },
  'ahead of the block': {
    is: 'usual',
    means: 'in the ledger already, and on chain after the block of this comparison',
  },
  'manual postings': { is: 'usual', means: 'posted by an operator: ledger fund, ledger post, ledger settle' },
  'withdrawals without a transfer': { is: 'usual', means: 'settled in the ledger, and not on chain' },
  'wallets handed over': {
    is: 'usual',
    means: 'platform wallets that became self custody, with what they had',
  },
  'accepted payments': { is: 'usual', means: 'found after a restore and accepted by wallets recover' },
  'accepted by an operator': { is: 'usual', means: 'by treasury accept' },
  'payments of lost withdrawals': {
    is: 'alarm',
    means: 'found after a restore, without a withdrawal in the database',
  },
  'unknown transfers out': {
    is: 'alarm',
    means: 'left one of our wallets, and no withdrawal was signed for it',
  },
  'token fees of payouts': {
    is: 'alarm',
    means: 'left a hot wallet in the transaction of a payout, and not to its recipient',
  },
  'credits between own wallets': {
    is: 'alarm',
    means: 'moved between two platform wallets: the receiver was credited, the sender not debited',
  },
  'credits without a transfer': { is: 'alarm', means: 'posted as a deposit, and the chain does not have it' },
  'amounts that differ': { is: 'alarm', means: 'chain and ledger have another amount for the same transfer' },
} as const;

export type ExplanationName = keyof typeof explanations;

/** The unexplained part; stored with the totals, and never listed as an explanation. */
export const unexplainedName = 'unexplained';

export interface Named {
  name: string;
  amount: bigint;
}

const kindOf = (name: string) => (name in explanations ? explanations[name as ExplanationName].is : 'alarm');

/**
 * The names that make up the shortfall. Until all wallets are counted, too little at the opening is expected.
 */
export function alarmsOf<N extends Named>(
  named: readonly N[],
  { isCounting }: { isCounting: boolean },
): string[] {
  const basis = named.filter(({ name }) => kindOf(name) === 'basis');
  const alarms = named.filter(({ name, amount }) => kindOf(name) === 'alarm' && amount < 0n);
  return [...alarms, ...(isCounting || sum(basis) >= 0n ? [] : basis)].map(({ name }) => name);
}

/** The shortfall, as a positive amount. */
export function shortfallOf(named: readonly Named[], { isCounting }: { isCounting: boolean }): bigint {
  const alarms = alarmsOf(named, { isCounting });
  return -sum(named.filter(({ name }) => alarms.includes(name)));
}

const sum = (named: readonly { amount: bigint }[]) => named.reduce((total, { amount }) => total + amount, 0n);
