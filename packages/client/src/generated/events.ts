// Written by `npm run client` from the API reference. Do not edit.

import type { components } from './types.ts';

type Schemas = components['schemas'];

interface Event<Type extends string, Subject> {
  id: string;
  type: Type;
  timestamp: string;
  /** Without gaps for each subscriber. */
  sequence: number;
  apiVersion: string;
  data: { object: Subject; previousStatus?: string };
}

export interface EventsByType {
  'withdrawal.queued': Event<'withdrawal.queued', Schemas['Withdrawal']>;
  'withdrawal.pending': Event<'withdrawal.pending', Schemas['Withdrawal']>;
  'withdrawal.processing': Event<'withdrawal.processing', Schemas['Withdrawal']>;
  'withdrawal.completed': Event<'withdrawal.completed', Schemas['Withdrawal']>;
  'withdrawal.failed': Event<'withdrawal.failed', Schemas['Withdrawal']>;
  'deposit.posted': Event<'deposit.posted', Record<string, unknown>>;
  'ledger.line_posted': Event<'ledger.line_posted', Schemas['LedgerNode']>;
  'card.created': Event<'card.created', Record<string, unknown>>;
  'card.updated': Event<'card.updated', Record<string, unknown>>;
  'card_transaction.authorized': Event<'card_transaction.authorized', Record<string, unknown>>;
  'card_transaction.settled': Event<'card_transaction.settled', Record<string, unknown>>;
  'card_transaction.declined': Event<'card_transaction.declined', Record<string, unknown>>;
  'card_transaction.refunded': Event<'card_transaction.refunded', Record<string, unknown>>;
  'card_refill.completed': Event<'card_refill.completed', Record<string, unknown>>;
  'card_refill.failed': Event<'card_refill.failed', Record<string, unknown>>;
  'consent.granted': Event<'consent.granted', Record<string, unknown>>;
  'consent.reduced': Event<'consent.reduced', Record<string, unknown>>;
  'consent.revoked': Event<'consent.revoked', Record<string, unknown>>;
  'consent.expired': Event<'consent.expired', Record<string, unknown>>;
  'key.rotated': Event<'key.rotated', Record<string, unknown>>;
  'key.revoked': Event<'key.revoked', Record<string, unknown>>;
}

export type EventType = keyof EventsByType;

/** An event of the feed or of a webhook. A newer server may send more types: ignore those. */
export type CausewayEvent = EventsByType[EventType];
