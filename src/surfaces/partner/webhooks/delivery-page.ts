import { type Content, html } from '#platform/http/html';
import { type Page, renderFacts, renderStatus } from '#surfaces/frame';
import { renderCode, renderLinks, renderRows, renderText, renderTime } from '../tables.ts';
import type { Visit } from '../visit.ts';
import { type Delivery, pageOf } from './endpoint-pages.ts';

export interface DeliveryDetails extends Delivery {
  body: string;
  attemptList: {
    number: number;
    url: string;
    startedAt: string;
    durationMs: number;
    status: number | null;
    error: string | null;
    answer: string;
  }[];
}

const [bodyMax, answerMax, attemptsMax] = [20_000, 500, 20] as const;

/** One delivery: what is sent, and what became of each attempt. */
export function renderDelivery(visit: Visit, delivery: DeliveryDetails): Page {
  const { webhooks } = visit.words.access;
  const at = pageOf({ id: delivery.endpointId });
  const attempts = delivery.attemptList
    .slice(-attemptsMax)
    .map((one): Content[] => [
      String(one.number),
      renderTime(visit, one.startedAt, ''),
      `${one.durationMs} ms`,
      one.status === null ? '–' : String(one.status),
      html`${one.error !== null && html`<span lang="en">${renderText(one.error)}</span><br>`}<small>${renderText(one.answer, answerMax)}</small>`,
    ]);
  const columns = [webhooks.attempt, webhooks.started, webhooks.duration, webhooks.status, webhooks.answer];
  return {
    title: webhooks.delivery,
    body: html`<h1>${webhooks.delivery} ${renderCode(delivery.eventId)}</h1>
${renderLinks([[`${at}/replay?${new URLSearchParams({ eventId: delivery.eventId }).toString()}`, webhooks.replay]])}
<section class="card" id="delivery" data-live>${renderFacts([
      [webhooks.event, renderCode(delivery.type)],
      [webhooks.status, renderStatus(visit, delivery.status)],
      [webhooks.createdAt, renderTime(visit, delivery.createdAt, '')],
      delivery.nextAttemptAt !== null && [webhooks.next, renderTime(visit, delivery.nextAttemptAt, '')],
      delivery.endedAt !== null && [webhooks.ended, renderTime(visit, delivery.endedAt, '')],
    ])}<h2>${webhooks.attempts}</h2>${renderRows(visit, webhooks.attempts, columns, attempts)}</section>
<section class="card"><h2>${webhooks.body}</h2><pre tabindex="0">${renderText(delivery.body, bodyMax)}</pre></section>
<p><a href="${at}">${webhooks.toEndpoint}</a></p>`,
  };
}
