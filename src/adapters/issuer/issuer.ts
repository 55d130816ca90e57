/** What a card issuer is asked, and what it tells. `docs/issuer-protocol.md` is the same as a protocol. */
export interface Issuer {
  /** An account at the issuer, with collateral of its own, for one of our users. */
  createUser(request: NewIssuerUser): Promise<IssuerUser>;
  /** All of them or none. */
  createCards(request: NewCards): Promise<IssuerCard[]>;
  updateCard(request: CardUpdate): Promise<IssuerCard>;
  readCard(cardId: string): Promise<IssuerCard | undefined>;
  /** What happened after the event with that sequence, in order; every event is told here, whether its webhook arrived or not. */
  readEvents(request: { after: bigint; limit: number }): Promise<FeedEvent[]>;
  /** PEM text of an RSA key, which callers wrap their session's key with. */
  readRevealKey(): Promise<string>;
  reveal(request: RevealRequest): Promise<EncryptedSecrets>;
  /** Tells of a payment to an account's collateral address; the issuer credits a transfer once, however often it is told. */
  announceDeposit(request: CollateralDeposit): Promise<void>;
  /** Only a sandbox answers; others refuse with `unsupported`. */
  simulate(request: Simulation): Promise<IssuerEvent[]>;
}

/** The same key again has the same answer and changes nothing; another request under it is refused. */
interface Idempotent {
  idempotencyKey: string;
}

export interface NewIssuerUser extends Idempotent {
  /** Our user's id: the issuer's name for them comes back as `id`. */
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
export const spendingIntervals = ['daily', 'weekly', 'monthly', 'yearly', 'all-time'] as const;
export type SpendingInterval = (typeof spendingIntervals)[number];

/** Amounts are decimal text with two digits after the point, in US dollars; instants are ISO 8601 with milliseconds, in UTC. */
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
}

export interface IssuerTransaction {
  id: string;
  cardId: string;
  cardIssuerUserId: string;
  version: number;
  type: 'purchase' | 'refund';
  status: 'pending' | 'settled' | 'declined' | 'reversed';
  /** Above zero; a refund gives it back. */
  amount: string;
  currency: 'USD';
  merchantName: string;
  description: string | null;
  merchantCategory: string | null;
  merchantCountry: string | null;
  /** In the merchant's currency, with as many digits as that has. */
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
  /** Below zero where an issuer took more than there was. */
  previousBalance: string;
  runningBalance: string;
  description: string;
  transactionId: string | null;
  /** Of a deposit: the payment that it is, `{transactionHash}:{logIndex}`. */
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

/** What stands in the feed: one event that cannot be read must not hide those before it. */
export type FeedEvent =
  | IssuerEvent
  /** About something that we keep nothing of. */
  | (UnreadEvent & { type: 'foreign' })
  /** Perhaps about something that we keep. */
  | (UnreadEvent & { type: 'unreadable' });

interface UnreadEvent {
  sequence: bigint;
  /** 1970 where it cannot be read: old enough for whoever asks how far behind we are. */
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
  /** Of an authorization, by its transaction; `amount` may be less than was authorized, and a settlement of nothing reverses it. */
  | { kind: 'settlement' | 'refund'; transactionId: string; amount?: string }
  | { kind: 'collateral-deposit'; cardIssuerUserId: string; amount: string; description?: string };

/** Why an issuer did not do what it was asked. Only `unavailable` may be tried again as it is. */
export class IssuerFault extends Error {
  override readonly name = 'IssuerFault';
  readonly reason: IssuerFaultReason;
  constructor(reason: IssuerFaultReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

export type IssuerFaultReason =
  /** The card, account or transaction is not known there. */
  | 'not-found'
  /** The state that it is in does not allow it. */
  | 'refused'
  /** One text for every way in which a session's key cannot be unwrapped. */
  | 'session-invalid'
  | 'session-used'
  | 'key-reused'
  | 'unsupported'
  /** No answer, a broken one, or a fault of the issuer's: whether it was done is not known. */
  | 'unavailable';
