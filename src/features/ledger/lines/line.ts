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
  userDescription?: string | null;
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

/** A user's lines of some types, in a window that includes both ends. */
export interface LineFilter {
  userId: string;
  types: readonly LineType[];
  startAt?: Date;
  endAt?: Date;
}

export const movesEurc = ({
  assetReceived,
  assetSent,
}: Record<'assetReceived' | 'assetSent', string | null>) => assetReceived === 'EURC' || assetSent === 'EURC';
