import type { IssuerCard, IssuerEvent, IssuerTransaction, IssuerUser } from '#adapters/issuer';
import { parseMinor } from '#platform/values/money';

/** An event without its number: what a rule says that happened. */
export type Fact = IssuerEvent extends infer Event
  ? Event extends { type: string; data: unknown }
    ? Pick<Event, 'type' | 'data'>
    : never
  : never;

/** An event as JSON has it, in the journal and on the wire. */
export type WireEvent = { id: string; sequence: string; createdAt: string } & Fact;

export interface KeptAnswer {
  fingerprint: string;
  body: unknown;
}

/** One line of the journal: all that one request changed. */
export interface Entry {
  events: WireEvent[];
  answer?: KeptAnswer & { key: string };
  /** The purchase that a refund gives back, by the refund's transaction. */
  refundOf?: { refundId: string; purchaseId: string };
  /** The transfer on chain that was credited. */
  deposit?: string;
  /** The digest of a session's bytes. */
  session?: string;
}

export interface Account {
  user: IssuerUser;
  balance: bigint;
  movements: number;
}

/** The issuer's state except for the vault: the sum of the journal's entries. */
export interface State {
  events: WireEvent[];
  accounts: Map<string, Account>;
  cards: Map<string, IssuerCard>;
  transactions: Map<string, IssuerTransaction>;
  transactionsOfCard: Map<string, string[]>;
  refundedOfPurchase: Map<string, bigint>;
  deposits: Set<string>;
  sessions: Set<string>;
  answers: Map<string, KeptAnswer>;
}

export const emptyState = (): State => ({
  events: [],
  accounts: new Map(),
  cards: new Map(),
  transactions: new Map(),
  transactionsOfCard: new Map(),
  refundedOfPurchase: new Map(),
  deposits: new Set(),
  sessions: new Set(),
  answers: new Map(),
});

export function applyEntry(state: State, entry: Entry): void {
  for (const event of entry.events) applyEvent(state, event);
  if (entry.answer) {
    const { key, fingerprint, body } = entry.answer;
    state.answers.set(key, { fingerprint, body });
  }
  if (entry.refundOf) {
    const { refundId, purchaseId } = entry.refundOf;
    const before = state.refundedOfPurchase.get(purchaseId) ?? 0n;
    state.refundedOfPurchase.set(purchaseId, before + cents(state.transactions.get(refundId)!.amount));
  }
  if (entry.deposit) state.deposits.add(entry.deposit);
  if (entry.session) state.sessions.add(entry.session);
}

function applyEvent(state: State, event: WireEvent): void {
  state.events.push(event);
  switch (event.type) {
    case 'user.created':
      state.accounts.set(event.data.id, { user: event.data, balance: 0n, movements: 0 });
      return;
    case 'card.changed':
      state.cards.set(event.data.id, event.data);
      return;
    case 'transaction.changed': {
      const { id, cardId, version } = event.data;
      state.transactions.set(id, event.data);
      if (version > 1) return;
      const ofCard = state.transactionsOfCard.get(cardId) ?? [];
      ofCard.push(id);
      state.transactionsOfCard.set(cardId, ofCard);
      return;
    }
    case 'movement.posted': {
      const account = state.accounts.get(event.data.cardIssuerUserId)!;
      account.balance = cents(event.data.runningBalance);
      account.movements = event.data.sequence;
      return;
    }
  }
}

/** Of text that a schema has checked. */
export function cents(decimal: string): bigint {
  const minor = parseMinor(decimal, 2);
  if (minor === undefined) throw new Error('not an amount in cents');
  return minor;
}

export function decimal(amountMinor: bigint): string {
  const digits = amountMinor.toString().padStart(3, '0');
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`;
}
