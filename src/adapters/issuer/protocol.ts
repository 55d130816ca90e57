import { createPublicKey } from 'node:crypto';
import { type Static, type TObject, Type } from 'typebox';
import { lazyValidator } from '#platform/http/lazy-validator';
import { nullable } from '#platform/http/schemas';
import {
  cardKinds,
  cardStatuses,
  type EncryptedSecrets,
  type FeedEvent,
  type IssuerCard,
  type IssuerEvent,
  IssuerFault,
  type IssuerFaultReason,
  type IssuerMovement,
  type IssuerTransaction,
  type IssuerUser,
  spendingIntervals,
} from './issuer.ts';

/** The status for each reason in an error's body; an answer with another status is treated as broken. */
export const statusOfReason = {
  'invalid-request': 400,
  unauthorized: 401,
  'not-found': 404,
  'unknown-path': 404,
  refused: 409,
  'session-used': 410,
  'session-invalid': 422,
  'key-reused': 422,
  unsupported: 501,
  unavailable: 503,
} as const;

export type WireReason = keyof typeof statusOfReason;

/**
 * What a caller can do about it. A wrong token or path, which only we can fix, counts as an unavailable
 * issuer.
 */
export const faultOfReason: Record<WireReason, IssuerFaultReason> = {
  'invalid-request': 'refused',
  unauthorized: 'unavailable',
  'not-found': 'not-found',
  'unknown-path': 'unavailable',
  refused: 'refused',
  'session-used': 'session-used',
  'session-invalid': 'session-invalid',
  'key-reused': 'key-reused',
  unsupported: 'unsupported',
  unavailable: 'unavailable',
};

/** Ids become parts of paths, so none may be `.` or `..` or contain a slash. */
export const idForm = /^[A-Za-z0-9][A-Za-z0-9_.:-]{0,99}$/;

const id = Type.String({ pattern: idForm.source });
/** Untrusted text: code that shows it must sanitize it. */
const text = Type.String({ maxLength: 500 });
// The format checks the calendar, the pattern allows one spelling.
const instant = Type.String({
  format: 'date-time',
  pattern: '^[1-9][0-9]{3}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-5][0-9]\\.[0-9]{3}Z$',
});
const digits = '(0|[1-9][0-9]{0,12})\\.[0-9]{2}';
const limit = Type.String({ pattern: `^${digits}$` });
const amount = Type.String({ pattern: `^(?!0\\.00$)${digits}$` });
/** An account may be overdrawn if an issuer settles what it did not authorize. */
const balance = Type.String({ pattern: `^(?!-0\\.00$)-?${digits}$` });
const counter = Type.Integer({ minimum: 1, maximum: 2 ** 31 - 1 });
const base64 = (bytesMin: number, bytesMax: number) =>
  Type.String({
    minLength: lengthOf(bytesMin),
    maxLength: lengthOf(bytesMax),
    pattern: '^[A-Za-z0-9+/]+={0,2}$',
  });
const lengthOf = (bytes: number) => Math.ceil(bytes / 3) * 4;

const user = Type.Object({
  id,
  reference: Type.String({ minLength: 1, maxLength: 100 }),
  collateralAddress: Type.String({ pattern: '^0x[0-9a-fA-F]{40}$' }),
  createdAt: instant,
});

const card = Type.Object({
  id,
  cardIssuerUserId: id,
  version: counter,
  name: text,
  nickname: nullable(text),
  lastFourDigits: Type.String({ pattern: '^[0-9]{4}$' }),
  status: Type.Enum([...cardStatuses]),
  spendingLimit: limit,
  spendingInterval: Type.Enum([...spendingIntervals]),
  createdAt: instant,
  updatedAt: instant,
  kind: Type.Optional(Type.Enum([...cardKinds])),
  statusReason: Type.Optional(nullable(text)),
});

const transaction = Type.Object({
  id,
  cardId: id,
  cardIssuerUserId: id,
  version: counter,
  type: Type.Enum(['purchase', 'refund']),
  status: Type.Enum(['pending', 'settled', 'declined', 'reversed']),
  amount,
  currency: Type.Literal('USD'),
  merchantName: text,
  description: nullable(text),
  merchantCategory: nullable(text),
  merchantCountry: nullable(text),
  localAmount: nullable(Type.String({ pattern: '^(0|[1-9][0-9]{0,14})(\\.[0-9]{1,4})?$' })),
  localCurrency: nullable(Type.String({ pattern: '^[A-Z]{3}$' })),
  createdAt: instant,
  authorizedAt: nullable(instant),
  settledAt: nullable(instant),
  declineReason: nullable(text),
  updatedAt: instant,
});

const movement = Type.Object({
  id,
  cardIssuerUserId: id,
  sequence: counter,
  action: Type.Enum(['deposit', 'purchase', 'refund', 'adjustment']),
  type: Type.Enum(['credit', 'debit']),
  status: Type.Literal('completed'),
  amount,
  previousBalance: balance,
  runningBalance: balance,
  description: text,
  transactionId: nullable(id),
  reference: nullable(Type.String({ minLength: 1, maxLength: 200 })),
  createdAt: instant,
});

const sequence = Type.String({ pattern: '^[1-9][0-9]{0,17}$' });
const event = Type.Object({
  id,
  sequence,
  createdAt: instant,
  type: Type.Enum(['user.created', 'card.changed', 'transaction.changed', 'movement.posted']),
  data: Type.Unknown(),
});

/** A reader throws `unavailable` for invalid data. The message names the object, never its contents. */
type Reader<T> = (value: unknown) => T;

/** Drops fields that are not in the protocol, so that data sent by mistake goes no further. */
function readerOf<Schema extends TObject>(what: string, schema: Schema): Reader<Static<Schema>> {
  const validator = lazyValidator(schema);
  const names = Object.keys(schema.properties);
  return (value) => {
    if (!validator.check(value)) throw brokenAnswer(what);
    const known = value as Record<string, unknown>;
    const named = names.filter((name) => name in known).map((name) => [name, known[name]]);
    return Object.fromEntries(named) as Static<Schema>;
  };
}

const readUser = readerOf('an account', user);
const readCard = readerOf('a card', card);
const readTransaction = readerOf('a transaction', transaction);
const readMovement = readerOf('a movement', movement);
const readEvent = readerOf('an event', event);
const readPlace = readerOf('an event with its sequence', Type.Object({ sequence }));
const isDated = lazyValidator(Type.Object({ createdAt: instant }));
const isForeign = lazyValidator(
  // A valid name of something that we do not store; an invalid one may be a misspelt name of something that
  // we do.
  Type.Object({
    type: Type.String({
      maxLength: 100,
      pattern: '^(?!user|account|card|transaction|movement|collateral|balance)[a-z]+\\.[a-z]+$',
    }),
  }),
);
const readCards = readerOf('cards', Type.Object({ cards: Type.Array(Type.Unknown()) }));
const readEvents = readerOf('events', Type.Object({ events: Type.Array(Type.Unknown()) }));
const readKey = readerOf('a reveal key', Type.Object({ publicKey: Type.String({ maxLength: 4_096 }) }));
const readSecrets = readerOf(
  'encrypted secrets',
  // Nonce and tag, and a number of 12 to 19 digits or a code of 3 or 4: an unencrypted number is too short.
  Type.Object({ encryptedPan: base64(28 + 12, 28 + 19), encryptedCvc: base64(28 + 3, 28 + 4) }),
);
const readNothing = readerOf('an empty object', Type.Object({}));
const readError = readerOf('an error', Type.Object({ error: Type.Unknown() }));
const readErrorFacts = readerOf(
  'an error',
  Type.Object({
    reason: Type.Enum(Object.keys(statusOfReason) as WireReason[]),
    message: Type.String({ maxLength: 1_000 }),
  }),
);

/** What an issuer sends, read by the protocol. */
export const answers = {
  user: (value: unknown): IssuerUser => parseUser(value),
  card: (value: unknown): IssuerCard => readCard(value),
  cards: (value: unknown): IssuerCard[] => readCards(value).cards.map((card) => readCard(card)),
  events: (value: unknown): IssuerEvent[] => readEvents(value).events.map(parseEvent),
  feed: (value: unknown): FeedEvent[] => readEvents(value).events.map(parseFeedEvent),
  secrets: (value: unknown): EncryptedSecrets => readSecrets(value),
  nothing: (value: unknown): void => void readNothing(value),
  error: (value: unknown) => readErrorFacts(readError(value).error),
  revealKey,
};

/**
 * Anything with a sequence has its place in the feed, so that the events before it can be applied and an
 * operator can see which one blocks. A new type of event about a new kind of object changes nothing that we
 * store, because every version of a card or transaction and every movement has a separate event; so a newer
 * issuer does not block the feed. A new type about one of these objects may change it, and skipping it would
 * make a balance wrong.
 */
function parseFeedEvent(value: unknown): FeedEvent {
  const { sequence } = readPlace(value);
  try {
    return parseEvent(value);
  } catch (error) {
    if (!(error instanceof IssuerFault)) throw error;
    const createdAt = isDated.check(value) ? value.createdAt : new Date(0).toISOString();
    const type = isForeign.check(value) ? 'foreign' : 'unreadable';
    return { sequence: BigInt(sequence), createdAt, type, data: null };
  }
}

/** An event in a webhook's body and in the answer of a simulation. */
export function parseEvent(value: unknown): IssuerEvent {
  const { id, sequence, createdAt, type, data } = readEvent(value);
  const envelope = { id, sequence: BigInt(sequence), createdAt };
  switch (type) {
    case 'user.created':
      return { ...envelope, type, data: parseUser(data) };
    case 'card.changed':
      return { ...envelope, type, data: readCard(data) };
    case 'transaction.changed':
      return { ...envelope, type, data: readTransaction(data) satisfies IssuerTransaction };
    case 'movement.posted':
      return { ...envelope, type, data: parseMovement(data) };
  }
}

function parseUser(value: unknown): IssuerUser {
  const user = readUser(value);
  return { ...user, collateralAddress: user.collateralAddress.toLowerCase() };
}

function parseMovement(value: unknown): IssuerMovement {
  const movement = readMovement(value);
  const change = cents(movement.amount) * (movement.type === 'credit' ? 1n : -1n);
  if (cents(movement.previousBalance) + change !== cents(movement.runningBalance)) {
    throw brokenAnswer('a movement whose balances fit together');
  }
  return movement;
}

const cents = (decimal: string) => BigInt(decimal.replace('.', ''));

function revealKey(value: unknown): string {
  const { publicKey } = readKey(value);
  const details = rsaDetails(publicKey);
  if (!details || (details.modulusLength ?? 0) < 2_048) throw brokenAnswer('an RSA key of 2048 bits or more');
  return publicKey;
}

/**
 * Only a public key: a private key also contains the public half, and an issuer that sends one must notice.
 */
function rsaDetails(pem: string) {
  try {
    if (!pem.trim().startsWith('-----BEGIN PUBLIC KEY-----')) return undefined;
    const key = createPublicKey(pem);
    return key.asymmetricKeyType === 'rsa' ? key.asymmetricKeyDetails : undefined;
  } catch {
    return undefined;
  }
}

export const brokenAnswer = (expected: string) =>
  new IssuerFault('unavailable', `The issuer did not answer with ${expected} as the protocol has it.`);
