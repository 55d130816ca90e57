/** The contract's types, in the order in which lists count them. */
export const lineTypes = ['buy', 'sell', 'swap-bridge', 'transfer-token'] as const;
export type LineType = (typeof lineTypes)[number];

/** The default purpose of each type. */
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
 * A line to be posted. A conversion on one network is one line with both legs; one between networks is a line
 * for each leg.
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
  /** Its place on chain, or null; a line without one gets a generated key. */
  onChain: OnChain | null;
}

export interface OnChain {
  transactionHash: string;
  logIndex: number;
}

/** Lines that are posted together. */
export interface Posting {
  kind: 'fund' | 'withdrawal' | 'deposit' | 'post' | 'settle';
  /** Unique for each kind. */
  operationId: string;
  description: string;
  onChain?: OnChain;
  fingerprint?: Buffer;
  /** The amounts that its lines send are on hold. */
  isHeld?: boolean;
  lines: readonly NewLine[];
}

/** A stored line with the names of its assets. */
export interface LineRow {
  type: LineType;
  /**
   * Milliseconds since 1970, as all instants here: parsing them costs a tenth of parsing PostgreSQL's dates.
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

/** A user's lines of some types, in a window that includes both ends. */
export interface LineFilter {
  userId: string;
  types: readonly LineType[];
  startAt?: Date;
  endAt?: Date;
}

export const movesEurc = ({ assetReceived, assetSent }: Pick<LineView, 'assetReceived' | 'assetSent'>) =>
  assetReceived === 'EURC' || assetSent === 'EURC';
