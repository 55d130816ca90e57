import { Addresses } from './addresses.ts';
import type { Api } from './api.ts';
import { Cards } from './cards.ts';
import { Consents } from './consents.ts';
import { Events } from './events.ts';
import { History } from './history.ts';
import type { IdempotencyStore } from './idempotency.ts';
import { Keys } from './keys.ts';
import { Requests } from './requests.ts';
import { type CallOptions, Transport } from './transport.ts';
import { WebhookEndpoints } from './webhook-endpoints.ts';
import { webhooks } from './webhooks.ts';
import { Withdrawals } from './withdrawals.ts';

export interface CausewayOptions extends Omit<CallOptions, 'signal'> {
  /** Where the server is, such as `https://causeway.example.com`. */
  baseUrl: string;
  /** If history has another address. */
  historyUrl?: string;
  /** The key of a partner, `cwk_…`: withdrawals, history, cards, events and webhooks. */
  apiKey?: string;
  /** The key of an integration, `cwi_…`: consents, their events and webhooks. */
  integrationKey?: string;
  /** Keeps idempotency keys over restarts of the process. */
  store?: IdempotencyStore;
  /** Replaces the global `fetch`, such as for a proxy. */
  fetch?: typeof fetch;
}

/**
 * A client of one partner or one integration.
 *
 * @example
 * const causeway = new Causeway({ baseUrl: 'https://causeway.example.com', apiKey: 'cwk_…' });
 */
export class Causeway {
  readonly withdrawals: Withdrawals;
  readonly history: History;
  readonly cards: Cards;
  readonly consents: Consents;
  readonly events: Events;
  readonly webhookEndpoints: WebhookEndpoints;
  readonly keys: Keys;
  readonly addresses: Addresses;
  readonly requests: Requests;
  readonly webhooks = webhooks;

  constructor({ baseUrl, historyUrl = baseUrl, apiKey, integrationKey, store, ...options }: CausewayOptions) {
    if ((apiKey === undefined) === (integrationKey === undefined))
      throw new TypeError('Pass apiKey or integrationKey: a client has one of them');
    const headers: Record<string, string> =
      apiKey === undefined ? { 'x-api-key': integrationKey! } : { authorization: `Bearer ${apiKey}` };
    const api: Api = {
      transport: new Transport({ ...options, headers }),
      baseUrl: originOf(baseUrl),
      historyUrl: originOf(historyUrl),
      caller: apiKey === undefined ? 'integration' : 'partner',
      store,
    };
    this.withdrawals = new Withdrawals(api);
    this.history = new History(api);
    this.cards = new Cards(api);
    this.consents = new Consents(api);
    this.events = new Events(api);
    this.webhookEndpoints = new WebhookEndpoints(api);
    this.keys = new Keys(api);
    this.addresses = new Addresses(api);
    this.requests = new Requests(api);
  }
}

/** The address that paths are appended to. It may have a path, for a server behind a prefix. */
function originOf(url: string): string {
  const { origin, pathname } = new URL(url);
  return origin + (pathname.endsWith('/') ? pathname.slice(0, -1) : pathname);
}
