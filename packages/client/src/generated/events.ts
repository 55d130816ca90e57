// Written by `npm run client` from the API reference. Do not edit.

import type { webhooks } from './types.ts';

type Body<T extends keyof webhooks> = NonNullable<
  webhooks[T]['post']['requestBody']
>['content']['application/json'];

export interface EventsByType {
  'withdrawal.queued': Body<'withdrawal.queued'> & { type: 'withdrawal.queued' };
  'withdrawal.pending': Body<'withdrawal.pending'> & { type: 'withdrawal.pending' };
  'withdrawal.approval_requested': Body<'withdrawal.approval_requested'> & { type: 'withdrawal.approval_requested' };
  'withdrawal.processing': Body<'withdrawal.processing'> & { type: 'withdrawal.processing' };
  'withdrawal.completed': Body<'withdrawal.completed'> & { type: 'withdrawal.completed' };
  'withdrawal.failed': Body<'withdrawal.failed'> & { type: 'withdrawal.failed' };
  'deposit.posted': Body<'deposit.posted'> & { type: 'deposit.posted' };
  'ledger.line_posted': Body<'ledger.line_posted'> & { type: 'ledger.line_posted' };
  'card.created': Body<'card.created'> & { type: 'card.created' };
  'card.updated': Body<'card.updated'> & { type: 'card.updated' };
  'card_transaction.authorized': Body<'card_transaction.authorized'> & { type: 'card_transaction.authorized' };
  'card_transaction.settled': Body<'card_transaction.settled'> & { type: 'card_transaction.settled' };
  'card_transaction.declined': Body<'card_transaction.declined'> & { type: 'card_transaction.declined' };
  'card_transaction.reversed': Body<'card_transaction.reversed'> & { type: 'card_transaction.reversed' };
  'card_transaction.refunded': Body<'card_transaction.refunded'> & { type: 'card_transaction.refunded' };
  'card_refill.completed': Body<'card_refill.completed'> & { type: 'card_refill.completed' };
  'card_refill.failed': Body<'card_refill.failed'> & { type: 'card_refill.failed' };
  'consent.granted': Body<'consent.granted'> & { type: 'consent.granted' };
  'consent.refused': Body<'consent.refused'> & { type: 'consent.refused' };
  'consent.reduced': Body<'consent.reduced'> & { type: 'consent.reduced' };
  'consent.revoked': Body<'consent.revoked'> & { type: 'consent.revoked' };
  'consent.expired': Body<'consent.expired'> & { type: 'consent.expired' };
  'key.rotated': Body<'key.rotated'> & { type: 'key.rotated' };
  'key.revoked': Body<'key.revoked'> & { type: 'key.revoked' };
  'webhook_endpoint.disabled': Body<'webhook_endpoint.disabled'> & { type: 'webhook_endpoint.disabled' };
  'webhook_endpoint.tested': Body<'webhook_endpoint.tested'> & { type: 'webhook_endpoint.tested' };
}

export const eventTypes: readonly string[] = [
  'withdrawal.queued',
  'withdrawal.pending',
  'withdrawal.approval_requested',
  'withdrawal.processing',
  'withdrawal.completed',
  'withdrawal.failed',
  'deposit.posted',
  'ledger.line_posted',
  'card.created',
  'card.updated',
  'card_transaction.authorized',
  'card_transaction.settled',
  'card_transaction.declined',
  'card_transaction.reversed',
  'card_transaction.refunded',
  'card_refill.completed',
  'card_refill.failed',
  'consent.granted',
  'consent.refused',
  'consent.reduced',
  'consent.revoked',
  'consent.expired',
  'key.rotated',
  'key.revoked',
  'webhook_endpoint.disabled',
  'webhook_endpoint.tested',
];

export type EventType = keyof EventsByType;

/**
 * An event of a type that a newer server has and this client does not know. Ignore it, or read
 * `receivedType`.
 */
export interface UnknownEvent {
  id: string;
  type: 'unknown';
  /** The type that the server sent. */
  receivedType: string;
  timestamp: string;
  sequence: number;
  apiVersion: string;
  data: { object: Record<string, unknown>; previousStatus?: string };
}

/** An event of the feed or of a webhook; `type` tells which. */
export type CausewayEvent = EventsByType[EventType] | UnknownEvent;
