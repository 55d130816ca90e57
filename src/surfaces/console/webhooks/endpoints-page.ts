import type { Item } from '#platform/commands/values';
import { type Content, type Html, html } from '#platform/http/html';
import { sanitizeText } from '#platform/values/sanitize-text';
import { renderInstant } from '#surfaces/frame';
import { addressOf, answerAddress, placeOf, renderId } from '../links.ts';
import { renderPage } from '../page.ts';
import type { Visit } from '../visit.ts';

interface Endpoints {
  items: readonly Item[];
  nextCursor: string | null;
}

export interface EndpointLists {
  failing: Endpoints;
  disabled: Endpoints;
  working: Endpoints;
}

/** Endpoints by state, those with trouble first. */
export function renderEndpoints(visit: Visit, { failing, disabled, working }: EndpointLists): string {
  const { webhooks: words } = visit.words;
  const isEmpty = [failing, disabled, working].every(({ items }) => items.length === 0);
  const next = working.nextCursor && addressOf('/console/webhooks', { cursor: working.nextCursor });
  return renderPage(visit, {
    title: words.title,
    body: html`<h1>${words.title}</h1><p class="lead">${words.lead}</p>
<div id="endpoints" data-live>${renderState(visit, 'failing', failing)}${renderState(visit, 'disabled', disabled)}${renderState(visit, 'working', working)}
${isEmpty && html`<p class="card">${words.none}</p>`}</div>
${next && html`<p><a class="button quiet" rel="next" href="${next}">${visit.words.result.next}</a></p>`}`,
  });
}

export const endpointTones = { failing: 'bad', disabled: 'fair', working: 'good' } as const;

function renderState(visit: Visit, state: keyof EndpointLists, { items, nextCursor }: Endpoints): Content {
  const { webhooks: words, result } = visit.words;
  if (items.length === 0) return '';
  const heads = [words.address, words.owner, words.since, words.waiting];
  const isCut = nextCursor !== null && state !== 'working';
  return html`<section class="card"><h2><span class="status ${endpointTones[state]}">${words.states[state]}</span></h2>
<div class="scroll" role="region" aria-label="${words.states[state]}" tabindex="0"><table>
<thead><tr>${heads.map((head, at) => html`<th scope="col"${at === 3 && html` class="number"`}>${head}</th>`)}</tr></thead>
<tbody>${items.map((item) => renderRow(visit, item))}</tbody></table></div>${isCut && html`<p><a href="${answerAddress('webhooks.list', { state })}">${result.next}</a></p>`}</section>`;
}

function renderRow(visit: Visit, item: Item): Html {
  const { id, url, description, partnerId, integrationId, failingSince, disabledAt, waiting } = item;
  const since = (disabledAt ?? failingSince) as string | null;
  const note = description !== '' && html`<br><small>${sanitizeText(String(description))}</small>`;
  return html`<tr><td><a href="/console/webhooks/${id as string}">${sanitizeText(String(url), 200)}</a>${note}</td>
<td>${renderOwner(partnerId, integrationId)}</td><td>${since ? renderInstant(visit, since) : '–'}</td><td class="number">${waiting as number}</td></tr>`;
}

export function renderOwner(partnerId: unknown, integrationId: unknown): Content {
  const [field, id] = partnerId ? ['partnerId', partnerId] : ['integrationId', integrationId];
  const place = placeOf('webhooks.list', field as string, id);
  return place ? renderId(place, String(id)) : '–';
}
