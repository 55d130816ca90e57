import type { Item } from '#platform/commands/values';
import { type Content, type Html, html } from '#platform/http/html';
import { sanitizeText } from '#platform/values/sanitize-text';
import { renderCsrf, renderInstant, renderStatus } from '#surfaces/frame';
import { renderPick, renderPickForm } from '../bulk/pick.ts';
import { addressOf, formAddress } from '../links.ts';
import { renderPage } from '../page.ts';
import type { Visit } from '../visit.ts';
import { endpointTones, renderOwner } from './endpoints-page.ts';

export interface EndpointPage {
  endpoint: Item;
  status: string | undefined;
  deliveries: readonly Item[];
  nextCursor: string | null;
  /** Whether the person may run a command. */
  may(name: string): boolean;
}

const statuses = ['due', 'delivered', 'failed', 'canceled'] as const;

/** The state of an endpoint, its last deliveries, and what can be sent to it. */
export function renderEndpoint(visit: Visit, page: EndpointPage): string {
  const { webhooks: words } = visit.words;
  const { endpoint } = page;
  const title = sanitizeText(String(endpoint.url), 200);
  return renderPage(visit, {
    title,
    body: html`<p><a href="/console/webhooks">${words.title}</a></p><h1 class="as-is">${title}</h1>
<div id="endpoint" data-live>${renderFacts(visit, endpoint)}</div>
${renderActions(visit, page)}
<section class="card"><h2>${words.deliveries}</h2>${renderFilter(visit, page)}${renderDeliveries(visit, page)}</section>`,
  });
}

function renderFacts(visit: Visit, endpoint: Item): Html {
  const { webhooks: words } = visit.words;
  const { enabled, failingSince, disabledAt, disabledReason, partnerId, integrationId, types, waiting } =
    endpoint as Record<string, string | null>;
  const state = !enabled ? 'disabled' : failingSince ? 'failing' : 'working';
  const since = disabledAt ?? failingSince;
  const reason = disabledReason && (words.reasons[disabledReason] ?? disabledReason);
  const facts: [string, Content][] = [
    [words.state, html`<span class="status ${endpointTones[state]}">${words.states[state]}</span>`],
    [words.since, since ? renderInstant(visit, since) : '–'],
    ...(reason ? ([[words.reason, reason]] as [string, Content][]) : []),
    [words.waiting, waiting],
    [words.owner, renderOwner(partnerId, integrationId)],
    [words.types, types === null ? words.allTypes : (types as unknown as string[]).join(', ')],
    [words.note, sanitizeText(String(endpoint.description)) || '–'],
  ];
  return html`<section class="card"><dl class="facts">${facts.map(([term, value]) => html`<div><dt>${term}</dt><dd>${value}</dd></div>`)}</dl></section>`;
}

/** Buttons lead to the confirmation of their command. */
function renderActions(visit: Visit, { endpoint, may }: EndpointPage): Html | false {
  const { webhooks: words } = visit.words;
  const endpointId = String(endpoint.id);
  const form = (name: string, label: string, more: Content = '') =>
    may(name) &&
    html`<form method="post" class="inline" action="/console/commands/${name}">${renderCsrf(visit.session)}<input type="hidden" name="step" value="review"><input type="hidden" name="endpointId" value="${endpointId}">${more}<button class="quiet">${label}</button></form>`;
  const missed = html`<input type="hidden" name="missed" value="true">`;
  const period = html`<label for="start">${words.from}</label><input id="start" name="startDate" placeholder="2026-01-31T12:00:00Z" autocomplete="off">
<label for="end">${words.to}</label><input id="end" name="endDate" placeholder="2026-01-31T13:00:00Z" autocomplete="off">`;
  const parts = [
    endpoint.enabled === true && form('webhooks.test', words.test),
    endpoint.enabled === true &&
      endpoint.missedAfter !== null &&
      form('webhooks.replay', words.replayMissed, missed),
    endpoint.enabled === true && form('webhooks.replay', words.replayPeriod, period),
    may('webhooks.update') &&
      html`<p><a class="button quiet" href="${formAddress('webhooks.update', { endpointId, enabled: String(!endpoint.enabled) })}">${endpoint.enabled ? words.disable : words.enable}</a></p>`,
  ].filter((part) => part);
  return parts.length > 0 && html`<section class="card actions"><h2>${words.actions}</h2>${parts}</section>`;
}

function renderFilter(visit: Visit, { endpoint, status }: EndpointPage): Html {
  const { webhooks: words } = visit.words;
  const link = (value: string | undefined, label: string) => {
    const to = addressOf(`/console/webhooks/${String(endpoint.id)}`, value ? { status: value } : {});
    return html`<a href="${to}"${value === status && html` aria-current="true"`}>${label}</a> `;
  };
  return html`<p class="filter">${link(undefined, words.all)}${statuses.map((one) => link(one, words.statuses[one]))}</p>`;
}

function renderDeliveries(visit: Visit, page: EndpointPage): Html {
  const { webhooks: words, bulk, result } = visit.words;
  const { endpoint, deliveries, nextCursor, status, may } = page;
  if (deliveries.length === 0) return html`<p class="soft">${words.noDeliveries}</p>`;
  const canReplay = may('webhooks.replay') && endpoint.enabled === true;
  const heads = [words.delivery, words.state, words.attempts, words.answer, words.duration, words.created];
  const more = nextCursor && { cursor: nextCursor, ...(status && { status }) };
  return html`<div class="scroll" role="region" aria-label="${words.deliveries}" tabindex="0"><table>
<thead><tr>${canReplay && html`<th scope="col">${words.choose}</th>`}${heads.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead>
<tbody>${deliveries.map((row) => renderRow(visit, row, canReplay))}</tbody></table></div>
${
  canReplay &&
  renderPickForm(visit, 'webhooks.replay', {
    fields: { endpointId: String(endpoint.id) },
    buttons: html`<button class="quiet">${bulk.replay}</button>`,
  })
}
${more && html`<p><a class="button quiet" rel="next" href="${addressOf(`/console/webhooks/${String(endpoint.id)}`, more)}">${result.next}</a></p>`}`;
}

function renderRow(visit: Visit, row: Item, canReplay: boolean): Html {
  const { id, endpointId, eventId, type, status, attempts, createdAt } = row as Record<string, string>;
  const address = `/console/webhooks/${endpointId}/deliveries/${id}`;
  const answer = row.lastError ?? row.lastStatus ?? '–';
  const duration = row.lastDurationMs === null ? '–' : `${row.lastDurationMs as number} ms`;
  return html`<tr>${canReplay && html`<td>${renderPick(visit, 'webhooks.replay', eventId!)}</td>`}<td><a href="${address}">${type}</a></td>
<td>${renderStatus(visit, status!)}</td><td>${attempts}</td><td>${sanitizeText(String(answer), 100)}</td><td>${duration}</td><td>${renderInstant(visit, createdAt!)}</td></tr>`;
}
