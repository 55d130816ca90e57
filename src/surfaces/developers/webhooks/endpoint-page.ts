import type { Refusal } from '#platform/errors/errors';
import { type Html, html } from '#platform/http/html';
import {
  type Action,
  renderAction,
  renderFacts,
  renderInstant,
  renderStatus,
  renderTable,
  scriptsOf,
} from '#surfaces/frame';
import { plain, renderFault, renderPage } from '../page.ts';
import type { Visit } from '../visit.ts';
import { type Delivery, type Endpoint, stateOf } from './endpoint.ts';

interface EndpointPage {
  endpoint: Endpoint;
  deliveries: readonly Delivery[];
  /** Address of the next page of deliveries. */
  more: string | undefined;
  once: string;
  refusal?: Refusal | undefined;
  /** What was done just now. */
  done?: string | undefined;
}

/** One endpoint with its newest deliveries, and what can be done with it. */
export function renderEndpoint(
  visit: Visit,
  { endpoint, deliveries, more, once, refusal, done }: EndpointPage,
): string {
  const { webhooks } = visit.words;
  const to = `/developers/webhooks/${endpoint.id}`;
  const { test, enable, disable, rotate, remove, replayMissed } = webhooks.actions;
  const options: [string, string][] = [
    ...(endpoint.enabled ? ([['test', test]] as [string, string][]) : []),
    endpoint.enabled ? ['disable', disable] : ['enable', enable],
    ...(endpoint.enabled && endpoint.missedAfter !== null
      ? ([['replay-missed', replayMissed]] as [string, string][])
      : []),
    ['rotate', rotate],
    ['delete', remove],
  ];
  const fields = html`<div class="field"><label for="field-action">${webhooks.action}</label><select id="field-action" name="action">${options.map(([value, label]) => html`<option value="${value}">${label}</option>`)}</select></div>`;
  const action: Action = { to, label: webhooks.run, once, stepUp: true, fields };
  return renderPage(visit, {
    title: webhooks.endpoint,
    scripts: scriptsOf(visit, action),
    body: html`<h1>${webhooks.endpoint}</h1>
${renderFault(visit, refusal)}${done && html`<p class="note" role="status">${done}</p>`}
<div class="card">${renderFacts([
      [webhooks.url, html`<code>${plain(endpoint.url, 2_000)}</code>`],
      [webhooks.note, plain(endpoint.description)],
      [webhooks.state, stateOf(visit, endpoint)],
      [webhooks.types, endpoint.types === null ? webhooks.allTypes : endpoint.types.join(', ')],
      [webhooks.created, renderInstant(visit, endpoint.createdAt)],
    ])}${renderAction(visit, action)}</div>
<section class="card"><h2>${webhooks.deliveries}</h2>${renderDeliveries(visit, to, deliveries)}
${more && html`<p><a href="${more}">${webhooks.more}</a></p>`}</section>`,
  });
}

function renderDeliveries(visit: Visit, to: string, deliveries: readonly Delivery[]): Html {
  const { webhooks } = visit.words;
  if (deliveries.length === 0) return html`<p class="soft">${webhooks.noDeliveries}</p>`;
  const rows = deliveries.map((one) => [
    html`<a href="${to}/deliveries/${one.id}">${plain(one.type, 60)}</a>`,
    renderStatus(visit, one.status),
    one.attempts,
    renderInstant(visit, one.createdAt),
  ]);
  const { type, state, attempts, created } = webhooks;
  return renderTable(webhooks.deliveries, [type, state, { number: attempts }, created], rows);
}

interface Details extends Delivery {
  body: string;
  attemptList: { number: number; startedAt: string; status: number | null; error: string | null }[];
}

/** What was sent, and how each attempt ended. */
export function renderDelivery(visit: Visit, to: string, delivery: Details, once: string): string {
  const { webhooks } = visit.words;
  const rows = delivery.attemptList.map((one) => [
    one.number,
    renderInstant(visit, one.startedAt),
    one.status ?? '–',
    plain(one.error),
  ]);
  const { number, created, answer, error } = webhooks;
  const replay = {
    to,
    label: webhooks.actions.replay,
    once,
    hidden: { action: 'replay', eventId: delivery.eventId },
  };
  return renderPage(visit, {
    title: webhooks.delivery,
    body: html`<h1>${webhooks.delivery}</h1>
<div class="card">${renderFacts([
      [webhooks.type, delivery.type],
      [webhooks.state, renderStatus(visit, delivery.status)],
      [webhooks.event, html`<code>${delivery.eventId}</code>`],
    ])}${renderAction(visit, replay)}</div>
<section class="card"><h2>${webhooks.attempts}</h2>${renderTable(webhooks.attempts, [number, created, answer, error], rows)}</section>
<section class="card"><h2>${webhooks.sent}</h2><pre>${plain(delivery.body, 20_480)}</pre></section>
<p><a href="${to}">${webhooks.back}</a></p>`,
  });
}

/** After an endpoint was created or its secret replaced: the secret is on this page only. */
export function renderSecret(visit: Visit, { id, secret }: Endpoint & { secret: string }): string {
  const { webhooks } = visit.words;
  return renderPage(visit, {
    title: webhooks.secretTitle,
    body: html`<h1>${webhooks.secretTitle}</h1>
<div class="card"><p class="note">${webhooks.secretOnce}</p><p class="secret"><code>${secret}</code></p>
<p><a class="button" href="/developers/webhooks/${id}">${webhooks.back}</a></p></div>`,
  });
}

export const renderDeleted = (visit: Visit, title: string): string =>
  renderPage(visit, {
    title,
    body: html`<h1>${title}</h1><p><a class="button" href="/developers/webhooks">${visit.words.webhooks.back}</a></p>`,
  });
