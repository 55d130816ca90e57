/**
 * What we ask of a card issuer and what it reports. `docs/issuer-protocol.md` describes the same as a
 * protocol.
 */
export interface Issuer {
  /** An account at the issuer, with separate collateral, for one of our users. */
  createUser(request: NewIssuerUser): Promise<IssuerUser>;
  /** All of them or none. */
  createCards(request: NewCards): Promise<IssuerCard[]>;
  updateCard(request: CardUpdate): Promise<IssuerCard>;
  readCard(cardId: string): Promise<IssuerCard | undefined>;
  /**
   * Events after that sequence, in order. Every event is in this feed, whether its webhook arrived or not.
   */
  readEvents(request: { after: bigint; limit: number }): Promise<FeedEvent[]>;
  /** PEM text of an RSA key that wraps callers' session keys. */
  readRevealKey(): Promise<string>;
  reveal(request: RevealRequest): Promise<EncryptedSecrets>;
  /**
   * Reports a payment to an account's collateral address; the issuer credits a transfer once, however often
   * it is reported.
   */
  announceDeposit(request: CollateralDeposit): Promise<void>;
  /** Only a sandbox answers; others refuse with `unsupported`. */
  simulate(request: Simulation): Promise<IssuerEvent[]>;
}

/** Repeating a request with the same key returns the same answer; another request with it is refused. */
interface Idempotent {
  idempotencyKey: string;
}

export interface NewIssuerUser extends Idempotent {
  /** Our user's id; the issuer's id is returned as `id`. */
  reference: string;
}

export interface NewCards extends Idempotent {
  cardIssuerUserId: string;
  cards: readonly {
    name: string;
    nickname: string | null;
    spendingLimit: string;
    spendingInterval: SpendingInterval;
  }[];
}

export interface CardUpdate extends Idempotent {
  cardId: string;
  nickname?: string | null;
  status?: CardStatus;
  spendingLimit?: string;
  spendingInterval?: SpendingInterval;
  reason?: string;
}

export const cardStatuses = ['inactive', 'active', 'locked', 'canceled'] as const;
export type CardStatus = (typeof cardStatuses)[number];
export const cardKinds = ['virtual', 'physical'] as const;
export type CardKind = (typeof cardKinds)[number];
export const spendingIntervals = ['daily', 'weekly', 'monthly', 'yearly', 'all-time'] as const;
export type SpendingInterval = (typeof spendingIntervals)[number];

/**
 * Amounts are decimal text with two digits after the point, in US dollars; instants are ISO 8601 with
 * milliseconds, in UTC.
 */
export interface IssuerUser {
  id: string;
  reference: string;
  /** Where collateral is paid to on chain. */
  collateralAddress: string;
  createdAt: string;
}

export interface IssuerCard {
  id: string;
  cardIssuerUserId: string;
  /** From 1, without gaps: every state that the card ever had. */
  version: number;
  name: string;
  nickname: string | null;
  lastFourDigits: string;
  status: CardStatus;
  spendingLimit: string;
  spendingInterval: SpendingInterval;
  createdAt: string;
  updatedAt: string;
  /** Virtual if an issuer leaves it out. */
  kind?: CardKind;
  /** Why it has its status, if the issuer says. */
  statusReason?: string | null;
}

export interface IssuerTransaction {
  id: string;
  cardId: string;
  cardIssuerUserId: string;
  version: number;
  type: 'purchase' | 'refund';
  status: 'pending' | 'settled' | 'declined' | 'reversed';
  /** Positive; a refund gives it back. */
  amount: string;
  currency: 'USD';
  merchantName: string;
  description: string | null;
  merchantCategory: string | null;
  merchantCountry: string | null;
  /** In the merchant's currency, with as many digits as it has. */
  localAmount: string | null;
  localCurrency: string | null;
  createdAt: string;
  authorizedAt: string | null;
  settledAt: string | null;
  declineReason: string | null;
  updatedAt: string;
}

export interface IssuerMovement {
  id: string;
  cardIssuerUserId: string;
  /** From 1, without gaps, for each account: a movement never changes. */
  sequence: number;
  action: 'deposit' | 'purchase' | 'refund' | 'adjustment';
  type: 'credit' | 'debit';
  status: 'completed';
  /** Above zero. */
  amount: string;
  /** Negative if an issuer took more than the balance. */
  previousBalance: string;
  runningBalance: string;
  description: string;
  transactionId: string | null;
  /** For a deposit: its payment, `{transactionHash}:{logIndex}`. */
  reference: string | null;
  createdAt: string;
}

/** A change at the issuer, with the whole state after it. Numbered from 1 without gaps. */
export type IssuerEvent = { id: string; sequence: bigint; createdAt: string } & (
  | { type: 'user.created'; data: IssuerUser }
  | { type: 'card.changed'; data: IssuerCard }
  | { type: 'transaction.changed'; data: IssuerTransaction }
  | { type: 'movement.posted'; data: IssuerMovement }
);

/** An entry of the feed: an event that cannot be read must not hide those before it. */
export type FeedEvent =
  | IssuerEvent
  /** About something that we do not store. */
  | (UnreadEvent & { type: 'foreign' })
  /** Possibly about something that we store. */
  | (UnreadEvent & { type: 'unreadable' });

interface UnreadEvent {
  sequence: bigint;
  /** 1970 if it cannot be read: old enough for any check of how far behind we are. */
  createdAt: string;
  data: null;
}

export interface RevealRequest {
  cardId: string;
  cardIssuerUserId: string;
  /** Base64 of an AES-128 key wrapped by RSA-OAEP with SHA-1 under the reveal key; good for one reveal. */
  sessionId: string;
}

/** Base64 of nonce (12 bytes), ciphertext and tag (16 bytes), by AES-128-GCM without additional data. */
export interface EncryptedSecrets {
  encryptedPan: string;
  encryptedCvc: string;
}

export interface CollateralDeposit {
  cardIssuerUserId: string;
  network: string;
  currency: string;
  amount: string;
  transactionHash: string;
  logIndex: number;
}

export type Simulation =
  | {
      kind: 'authorization' | 'decline';
      cardId: string;
      amount: string;
      merchantName: string;
      description?: string;
      merchantCategory?: string;
      merchantCountry?: string;
      localAmount?: string;
      localCurrency?: string;
      declineReason?: string;
    }
  /**
   * For an authorization, by its transaction; `amount` may be less than was authorized, and settling 0
   * reverses it.
   */
  | { kind: 'settlement' | 'refund'; transactionId: string; amount?: string }
  | { kind: 'collateral-deposit'; cardIssuerUserId: string; amount: string; description?: string };

/** Why an issuer refused. Only `unavailable` may be retried unchanged. */
export class IssuerFault extends Error {
  override readonly name = 'IssuerFault';
  readonly reason: IssuerFaultReason;
  constructor(reason: IssuerFaultReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

export type IssuerFaultReason =
  /** The issuer does not know the card, account or transaction. */
  | 'not-found'
  /** Its state does not allow it. */
  | 'refused'
  /** One text for every reason why a session's key cannot be unwrapped. */
  | 'session-invalid'
  | 'session-used'
  | 'key-reused'
  | 'unsupported'
  /** No answer, a broken one, or an error of the issuer: the outcome is unknown. */
  | 'unavailable';
