/** The contract's types, in the order in which lists count them. */
export const lineTypes = ['buy', 'sell', 'swap-bridge', 'transfer-token'] as const;
export type LineType = (typeof lineTypes)[number];

/** What a line is for, where nobody says. */
export const usualPurposes: Readonly<Record<LineType, string>> = {
  buy: 'deposit',
  sell: 'withdrawal',
  'swap-bridge': 'conversion',
  'transfer-token': 'transfer',
};

/** What a line takes from an account, or brings to one. */
export interface Leg {
  currency: string;
  amount: bigint;
}

/**
 * A line to be posted. Of a conversion on one network both legs are in it; of one between networks each leg
 * is a line.
 */
export interface NewLine {
  userId: string;
  /** Operation id; legs of one operation share it. */
  operationId: string;
  type: LineType;
  network: string;
  sent: Leg | null;
  received: Leg | null;
  transactionAt: Date;
  executedAt: Date | null;
  description: string;
  purpose: string;
  userDescription: string | null;
  /** Where it is on chain; a line that is nowhere there gets a key of its own. */
  onChain: OnChain | null;
}

export interface OnChain {
  transactionHash: string;
  logIndex: number;
}

/** Lines that are posted together. */
export interface Posting {
  kind: 'fund' | 'withdrawal' | 'deposit' | 'post' | 'settle';
  /** Posted once under this name, for each kind. */
  operationId: string;
  description: string;
  onChain?: OnChain;
  fingerprint?: Buffer;
  /** What its lines send was held for them. */
  isHeld?: boolean;
  lines: readonly NewLine[];
}

/** A stored line with the names of its assets. */
export interface LineRow {
  type: LineType;
  /**
   * Milliseconds since 1970, as are all instants here: a tenth of what a date written by PostgreSQL costs.
   */
  transactionMs: number;
  number: bigint;
  operationId: string;
  uniqueHashId: string;
  sentAccountId: bigint | null;
  sentAmount: bigint | null;
  receivedAccountId: bigint | null;
  receivedAmount: bigint | null;
  status: string;
  description: string;
  purpose: string;
  userDescription: string | null;
  executedMs: number | null;
}

/** One ledger line as people and partners see it: amounts are exact decimal strings. */
export interface LineView {
  id: string;
  uniqueHashId: string;
  transactionDate: string;
  transactionType: LineType;
  description: string;
  status: string;
  network: string;
  /**
   * The asset that `amount` and `runningBalance` are of: the received one, or the sent one of a line that
   * only sends.
   */
  asset: string;
  amount: string;
  assetSent: string | null;
  amountSent: string | null;
  assetReceived: string | null;
  amountReceived: string | null;
  runningBalance: string;
  executedAt: string | null;
  transactionPurpose: string;
  userDescription: string | null;
}

/** Which lines of a user: of some types, in a window whose ends belong to it. */
export interface LineFilter {
  userId: string;
  types: readonly LineType[];
  startAt?: Date;
  endAt?: Date;
}
