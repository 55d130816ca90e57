import type { Item } from '#platform/commands/values';
import { type Html, html } from '#platform/http/html';
import { sanitizeText } from '#platform/values/sanitize-text';
import { renderTable } from '../answer.ts';
import { depositAddress } from '../links.ts';
import type { Mount } from '../mount.ts';
import { renderPage } from '../page.ts';
import type { Visit } from '../visit.ts';
import { find, type Other } from './find.ts';

const lengthMax = 255;

/** `/console/search?q=…`. */
export function searchRoutes({ page, options, sharedWallets }: Mount): void {
  const byName = new Map(options.commands.map((command) => [command.name, command]));
  page('/search', async ({ visit, call, request }) => {
    const { q = '' } = request.query as { q?: string };
    const text = q.trim().slice(0, lengthMax);
    const { search, navigation } = visit.words;
    const lead = html`<p class="lead">${search.lead}</p>`;
    if (text === '')
      return renderPage(visit, { title: search.label, body: html`<h1>${search.label}</h1>${lead}` });
    const found = await find({ call, sharedWallets }, text);
    const section = (name: 'withdrawals' | 'users') => {
      const items = found[name];
      if (items.length === 0) return '';
      const table = renderTable({ reader: visit, command: byName.get(`${name}.list`)! }, items);
      return html`<section class="card"><h2>${navigation[name]}</h2>${table}</section>`;
    };
    const command = byName.get('treasury.find-transaction')!;
    const actionsOf = ({ kind }: Item) =>
      kind === 'deposit' ? [html`<a href="${depositAddress(text)}">${search.openDeposit}</a>`] : [];
    const transaction =
      found.transaction.length > 0 &&
      html`<section class="card"><h2>${search.transaction}</h2>${renderTable({ reader: visit, command, actionsOf }, found.transaction)}</section>`;
    const isEmpty = Object.values(found).every(({ length }) => length === 0);
    return renderPage(visit, {
      title: search.title(sanitizeText(text)),
      body: html`<h1>${search.title(sanitizeText(text))}</h1>
${isEmpty && html`<div class="card"><p>${search.nothing}</p>${lead}</div>`}
${transaction}${found.others.length > 0 && renderOthers(visit, found.others)}${section('users')}${section('withdrawals')}`,
    });
  });
}

const renderOthers = ({ words }: Visit, others: readonly Other[]): Html =>
  html`<section class="card"><h2>${words.search.others}</h2><ul class="plain">${others.map(
    ({ kind, id, address }) =>
      html`<li>${words.search.kinds[kind]} <a href="${address}"><code>${sanitizeText(id)}</code></a></li>`,
  )}</ul></section>`;
