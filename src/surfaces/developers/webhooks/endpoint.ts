import { type Html, html } from '#platform/http/html';
import type { Visit } from '../visit.ts';

export const endpointsUrl = '/api/v1/webhooks/endpoints';

/** What pages read of the API's answer. */
export interface Endpoint {
  id: string;
  url: string;
  description: string;
  enabled: boolean;
  disabledReason: string | null;
  failingSince: string | null;
  missedAfter: number | null;
  types: string[] | null;
  createdAt: string;
}

export interface Delivery {
  id: string;
  eventId: string;
  type: string;
  status: string;
  attempts: number;
  createdAt: string;
}

export function stateOf({ words }: Visit, { enabled, failingSince, disabledReason }: Endpoint): Html {
  const { enabled: on, disabled, failing } = words.webhooks;
  if (!enabled) return html`<span class="status bad">${disabled}: ${disabledReason}</span>`;
  return failingSince === null
    ? html`<span class="status good">${on}</span>`
    : html`<span class="status fair">${failing}</span>`;
}
