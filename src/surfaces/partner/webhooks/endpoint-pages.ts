import { type Content, type Html, html } from '#platform/http/html';
import { type Page, renderFacts, renderInstant, renderStatus } from '#surfaces/frame';
import type { KnownUsers } from '../read-users.ts';
import { renderCode, renderLinks, renderNext, renderRows, renderText, renderTime } from '../tables.ts';
import type { Visit } from '../visit.ts';

export const endpointsUrl = '/api/webhooks/endpoints';

export interface Endpoint {
  id: string;
  url: string;
  types: string[] | null;
  ordered: boolean;
  description: string;
  enabled: boolean;
  disabledReason: string | null;
  missedAfter: number | null;
  failingSince: string | null;
  userId: string | null;
  allUsers: boolean;
  createdAt: string;
}

export interface Delivery {
  id: string;
  endpointId: string;
  eventId: string;
  type: string;
  status: string;
  attempts: number;
  nextAttemptAt: string | null;
  createdAt: string;
  endedAt: string | null;
}

/** The request that changes an endpoint. */
export const patchEndpoint = ({ id }: Endpoint, payload: Record<string, unknown>) =>
  ({ method: 'PATCH', url: `${endpointsUrl}/${id}`, payload }) as const;

export const pageOf = ({ id }: Pick<Endpoint, 'id'>): string => `/partner/webhooks/${id}`;

export function renderEndpoints(visit: Visit, body: Record<string, unknown>, users: KnownUsers): Page {
  const { webhooks } = visit.words.access;
  const rows = (body.items as Endpoint[]).map((endpoint): Content[] => [
    html`<a href="${pageOf(endpoint)}" class="address">${renderText(endpoint.url, 300)}</a>${endpoint.description !== '' && html`<br><small>${renderText(endpoint.description)}</small>`}`,
    renderState(visit, endpoint),
    renderAbout(visit, endpoint, users),
    endpoint.types === null ? webhooks.allTypes : String(endpoint.types.length),
    renderTime(visit, endpoint.createdAt, ''),
  ]);
  const columns = [webhooks.url, webhooks.status, webhooks.about, webhooks.types, webhooks.createdAt];
  return {
    title: webhooks.title,
    body: html`<h1>${webhooks.title}</h1><p class="lead">${webhooks.lead}</p>
${renderLinks([['/partner/webhooks/new', webhooks.create]])}
<div class="card">${renderRows(visit, webhooks.title, columns, rows)}${renderNext(visit, body.nextCursor)}</div>`,
  };
}

export function renderState(visit: Visit, { enabled, disabledReason, failingSince }: Endpoint): Html {
  const { webhooks } = visit.words.access;
  if (!enabled)
    return html`<span class="status bad">${webhooks.disabled}</span>${disabledReason !== null && html` ${renderCode(disabledReason)}`}`;
  if (failingSince !== null)
    return html`<span class="status fair">${webhooks.failing}</span> ${renderInstant(visit, failingSince)}`;
  return html`<span class="status good">${webhooks.enabled}</span>`;
}

export function renderEndpointFacts(visit: Visit, endpoint: Endpoint, users: KnownUsers): Html {
  const { webhooks } = visit.words.access;
  return renderFacts([
    [webhooks.url, html`<code>${renderText(endpoint.url, 2_000)}</code>`],
    endpoint.description !== '' && [webhooks.description, renderText(endpoint.description)],
    [webhooks.status, renderState(visit, endpoint)],
    [webhooks.about, renderAbout(visit, endpoint, users)],
    [
      webhooks.types,
      endpoint.types === null
        ? webhooks.allTypes
        : html`<span class="codes">${endpoint.types.map((type) => html`${renderCode(type)} `)}</span>`,
    ],
    [webhooks.order, endpoint.ordered ? webhooks.ordered : webhooks.unordered],
    [webhooks.createdAt, renderTime(visit, endpoint.createdAt, '')],
  ]);
}

const renderAbout = ({ words }: Visit, { allUsers, userId }: Endpoint, users: KnownUsers): string => {
  const { webhooks } = words.access;
  if (allUsers) return webhooks.aboutAll;
  return userId === null ? webhooks.aboutNobody : users.nameOf(userId);
};

interface EndpointView {
  users: KnownUsers;
  deliveries: Record<string, unknown>;
  status: string | undefined;
}

export function renderEndpoint(
  visit: Visit,
  endpoint: Endpoint,
  { users, deliveries, status }: EndpointView,
): Page {
  const { webhooks } = visit.words.access;
  const at = pageOf(endpoint);
  const { enabled } = endpoint;
  return {
    title: webhooks.url,
    body: html`<h1 class="address">${renderText(endpoint.url, 100)}</h1>
${renderLinks([
  [`${at}/edit`, webhooks.edit],
  enabled && [`${at}/test`, webhooks.test],
  enabled && [`${at}/replay`, webhooks.replay],
  [`${at}/rotate-secret`, webhooks.rotate],
  enabled ? [`${at}/disable`, webhooks.disable] : [`${at}/enable`, webhooks.enable],
  [`${at}/delete`, webhooks.remove],
])}
${endpoint.missedAfter !== null && html`<p class="note">${webhooks.missed}</p>`}
<section class="card">${renderEndpointFacts(visit, endpoint, users)}</section>
<section class="card"><h2>${webhooks.deliveries}</h2>${renderStatuses(visit, endpoint, status)}
<div id="deliveries" data-live>${renderDeliveries(visit, deliveries.items as Delivery[])}${renderNext(visit, deliveries.nextCursor)}</div></section>
<p><a href="/partner/webhooks">${webhooks.back}</a></p>`,
  };
}

const statuses = ['due', 'delivered', 'failed', 'canceled'];

function renderStatuses({ words }: Visit, endpoint: Endpoint, chosen: string | undefined): Html {
  const links = ['', ...statuses].map((status) => {
    const label = status === '' ? words.access.webhooks.all : html`<span lang="en">${status}</span>`;
    const to = status === '' ? pageOf(endpoint) : `${pageOf(endpoint)}?status=${status}`;
    return html`<a href="${to}"${status === (chosen ?? '') && html` aria-current="true"`}>${label}</a> `;
  });
  return html`<p class="choose">${links}</p>`;
}

function renderDeliveries(visit: Visit, deliveries: readonly Delivery[]): Html {
  const { webhooks } = visit.words.access;
  const rows = deliveries.map((one): Content[] => [
    html`<a href="${pageOf({ id: one.endpointId })}/deliveries/${one.id}">${renderText(one.eventId)}</a><br><small>${renderCode(one.type)}</small>`,
    renderStatus(visit, one.status),
    String(one.attempts),
    renderTime(visit, one.createdAt, ''),
    renderTime(visit, one.nextAttemptAt ?? one.endedAt, ''),
  ]);
  const columns = [
    webhooks.event,
    webhooks.status,
    webhooks.attempts,
    webhooks.createdAt,
    `${webhooks.next} / ${webhooks.ended}`,
  ];
  return renderRows(visit, webhooks.deliveries, columns, rows);
}
