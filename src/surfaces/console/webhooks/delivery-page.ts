import type { Item } from '#platform/commands/values';
import { type Html, html } from '#platform/http/html';
import { sanitizeText } from '#platform/values/sanitize-text';
import { renderCsrf, renderInstant, renderStatus } from '#surfaces/frame';
import { renderPage } from '../page.ts';
import type { Visit } from '../visit.ts';

export interface DeliveryPage {
  delivery: Item;
  may(name: string): boolean;
}

interface Attempt {
  number: number;
  url: string;
  startedAt: string;
  durationMs: number;
  status: number | null;
  error: string | null;
  answer: string;
}

/** What was sent, as the customer received it, and each answer. */
export function renderDelivery(visit: Visit, { delivery, may }: DeliveryPage): string {
  const { webhooks: words } = visit.words;
  const { endpointId, eventId, type, status, body, createdAt } = delivery as Record<string, string>;
  const attempts = delivery.attemptList as Attempt[];
  return renderPage(visit, {
    title: type!,
    body: html`<p><a href="/console/webhooks/${endpointId}">${words.backToEndpoint}</a></p>
<h1>${type} ${renderStatus(visit, status!)}</h1>
<p>${renderInstant(visit, createdAt!)} <code>${eventId}</code></p>
${may('webhooks.replay') && renderReplay(visit, endpointId!, eventId!)}
<section class="card" id="attempts"><h2>${words.attempts}</h2>${attempts.length === 0 ? html`<p class="soft">${words.noAttempts}</p>` : html`<ol class="timeline">${attempts.map((one) => renderAttempt(visit, one))}</ol>`}</section>
<section class="card"><h2>${words.body}</h2><pre tabindex="0">${readable(body!)}</pre></section>`,
  });
}

const renderReplay = (visit: Visit, endpointId: string, eventId: string): Html =>
  html`<form method="post" action="/console/commands/webhooks.replay">${renderCsrf(visit.session)}<input type="hidden" name="step" value="review"><input type="hidden" name="endpointId" value="${endpointId}"><input type="hidden" name="eventId" value="${eventId}"><p><button class="quiet">${visit.words.webhooks.replayOne}</button></p></form>`;

function renderAttempt(visit: Visit, attempt: Attempt): Html {
  const { webhooks: words } = visit.words;
  const { number, startedAt, durationMs, status, error, answer, url } = attempt;
  const isGood = error === null;
  return html`<li>${renderInstant(visit, startedAt)} <strong class="${isGood ? 'good' : 'bad'}">${number}. ${status ?? '–'}</strong> ${durationMs} ms <small>${sanitizeText(url, 200)}</small>
${error && html`<p class="bad">${sanitizeText(error, 500)}</p>`}${answer !== '' && html`<details><summary>${words.answer}</summary><pre>${sanitizeText(answer, 4_096)}</pre></details>`}</li>`;
}

/** Indented for people; a body that is not JSON as it is. */
function readable(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}
