import type { Refusal } from '#platform/errors/errors';
import { type Content, type Html, html } from '#platform/http/html';
import { sanitizeText } from '#platform/values/sanitize-text';
import { renderFacts, renderInstant, renderTable } from '#surfaces/frame';
import type { Visit } from './visit.ts';

/** Rows of a page, so that it stays below 60 kB. */
export const rowsMax = 25;

/** Without rows, the words for that. */
export const renderRows = (visit: Visit, ...table: Parameters<typeof renderTable>): Html =>
  table[2].length === 0 ? html`<p class="soft">${visit.words.access.empty}</p>` : renderTable(...table);

/** The link to the next page of a list that is shown at an address of ours. */
export function renderNext({ words, address }: Visit, nextCursor: unknown): Html | false {
  if (typeof nextCursor !== 'string') return false;
  const url = new URL(address, 'http://partner.invalid');
  url.searchParams.set('cursor', nextCursor);
  return html`<p><a href="${url.pathname}${url.search}">${words.access.next}</a></p>`;
}

/** Text that somebody outside wrote. */
export const renderText = (text: unknown, lengthMax?: number): string =>
  sanitizeText(String(text ?? ''), lengthMax);

export const renderTime = (visit: Visit, instant: unknown, otherwise: string): Content =>
  typeof instant === 'string' ? renderInstant(visit, instant) : otherwise;

/** Words of the API are English. */
export const renderCode = (text: unknown): Html => html`<code lang="en">${renderText(text)}</code>`;

/** Links that look like buttons. */
export const renderLinks = (links: readonly (readonly [to: string, label: string] | false)[]): Html =>
  html`<p class="actions">${links.map((link) => link && html`<a class="button quiet" href="${link[0]}">${link[1]}</a> `)}</p>`;

/** Why the API refused a form; a missing passkey is shown by the form. */
export const renderRefused = (refusal: Refusal | undefined): Html | false =>
  refusal !== undefined &&
  refusal.code !== 'step_up_required' &&
  html`<div class="card fault" role="alert"><p lang="en">${renderText(refusal.message, 500)}</p></div>`;

/** A secret that no other page shows. */
export const renderSecret = (visit: Visit, label: string, secret: unknown): Html =>
  html`<p class="note">${visit.words.access.once}</p>${renderFacts([[label, html`<code class="secret">${String(secret)}</code>`]])}`;
