import { type Content, type Html, html } from '#platform/http/html';
import { showDuration } from '#platform/values/duration';
import { renderStatus } from '#surfaces/frame';
import type { Figure } from '../figures.ts';
import { answerAddress } from '../links.ts';
import { renderPage } from '../page.ts';
import type { Reader, Visit } from '../visit.ts';
import type { Item } from './attention.ts';

export interface Overview {
  items: readonly Item[];
  /** Undefined if they could not be read. */
  waiting: readonly Figure[] | undefined;
  ages: readonly Figure[] | undefined;
  wallets: Content;
  plot: Content;
}

/** What needs an operator, what is under way, and how long the wallets last. */
export function renderOverview(visit: Visit, { items, waiting, ages, wallets, plot }: Overview): string {
  const { overview } = visit.words;
  return renderPage(visit, {
    title: overview.title,
    body: html`<h1>${overview.title}</h1>
<section class="card" id="attention" data-live aria-live="polite"><h2>${overview.attention}</h2>
${items.length === 0 ? html`<p class="good">${overview.calm}</p>` : html`<ul class="plain attention">${items.map(renderItem)}</ul>`}</section>
<section class="card" id="waiting" data-live><h2>${overview.waiting}</h2>${renderWaiting(visit, waiting, ages)}</section>
<section class="card" id="wallets" data-live><h2><a href="/console/wallets">${overview.wallets}</a></h2>${wallets}</section>
${plot}`,
  });
}

const renderItem = ({ text, address, isGrave }: Item): Html =>
  html`<li class="${isGrave ? 'bad' : 'fair'}"><a href="${address}">${text}</a></li>`;

function renderWaiting(reader: Reader, waiting: Overview['waiting'], ages: Overview['ages']): Html {
  const { overview } = reader.words;
  if (!waiting || !ages) return html`<p class="note bad">${overview.items.unread(overview.waiting)}</p>`;
  const rows = waiting.filter(({ value }) => value > 0);
  if (rows.length === 0) return html`<p class="soft">${overview.noWaiting}</p>`;
  // What waits because people decided so has no age.
  const ageOf = ({ labels }: Figure) => {
    const age = ages.find(
      (one) => one.labels.network === labels.network && one.labels.status === labels.status,
    );
    return age ? showDuration(age.value) : '–';
  };
  return html`<div class="scroll" role="region" aria-label="${overview.waiting}" tabindex="0"><table>
<thead><tr><th scope="col">${overview.state}</th><th scope="col">${overview.network}</th><th scope="col" class="number">${overview.count}</th><th scope="col" class="number">${overview.oldest}</th></tr></thead>
<tbody>${rows.map((row) => {
    const { network = '', status = '' } = row.labels;
    const address = answerAddress('withdrawals.list', { status, network });
    return html`<tr><td>${renderStatus(reader, status)}</td><td>${network}</td><td class="number"><a href="${address}">${row.value}</a></td><td class="number">${ageOf(row)}</td></tr>`;
  })}</tbody></table></div>`;
}
