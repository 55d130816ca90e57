import type { AuditRow } from '#features/audit';
import { shorten, wordsOfField } from '#platform/commands/values';
import { type Content, type Html, html } from '#platform/http/html';
import { sanitizeText } from '#platform/values/sanitize-text';
import { type Field, renderInstant } from '#surfaces/frame';
import { type FilteredList, renderFilter, renderNext } from '../filter.ts';
import { addressOf, answerAddress, placeOf } from '../links.ts';
import { renderPage } from '../page.ts';
import type { Visit } from '../visit.ts';
import { type Difference, differencesOf } from './differences.ts';

export const filters = ['actor', 'action', 'subject', 'startDate', 'endDate'] as const;

export interface AuditPage {
  list: FilteredList<(typeof filters)[number]>;
  mayVerify: boolean;
}

const path = '/console/audit';
export const auditAddress = (fields: Record<string, string>) => addressOf(path, fields);

/** Changes, newest first, each with its fields before and after. */
export function renderAudit(visit: Visit, { list, mayVerify }: AuditPage): string {
  const { audit: words } = visit.words;
  const fields = filters.map(
    (name): Field => ({ name, label: words.fields[name], help: words.help[name], maxLength: 200 }),
  );
  const rows = list.data.items as AuditRow[];
  return renderPage(visit, {
    title: words.title,
    body: html`<h1>${words.title}</h1><p class="lead">${words.lead}</p>
${renderFilter(visit, path, list, fields)}
<section class="card" id="changes">${rows.length === 0 ? html`<p class="soft">${words.none}</p>` : html`<ol class="timeline">${rows.map((row) => renderRow(visit, row))}</ol>`}
${renderNext(visit, path, list)}</section>
${mayVerify && html`<p class="actions"><a class="button quiet" href="${answerAddress('audit.verify')}">${words.verify}</a></p>`}`,
  });
}

function renderRow(visit: Visit, row: AuditRow): Html {
  const { audit: words } = visit.words;
  const { id, at, actorKind, actorId, action, subject, before, after } = row;
  const place = placeOf('audit.list', 'subject', subject);
  const name = html`<code title="${subject}">${sanitizeText(shorten(subject), 200)}</code>`;
  const kind = words.kinds[actorKind] ?? actorKind;
  const actor = html`<a href="${auditAddress({ actor: actorId })}" title="${words.sameActor}">${sanitizeText(shorten(actorId), 200)}</a>`;
  return html`<li id="row-${id}">${renderInstant(visit, at)} <strong><a href="${auditAddress({ action })}" title="${words.sameAction}" lang="en">${sanitizeText(action)}</a></strong>
${place === undefined ? name : html`<a href="${place}">${name}</a>`} ${words.by} ${actor} <small>${kind} · ${words.number(id)}</small>
${renderDifferences(visit, differencesOf(before, after))}</li>`;
}

/** What a page of 20 rows has room for. */
const [shownMax, textMax] = [10, 160];

function renderDifferences({ words: { audit: words } }: Visit, all: readonly Difference[]): Content {
  if (all.length === 0) return html`<p class="soft">${words.noFields}</p>`;
  const changed = all.filter(({ isChanged }) => isChanged);
  const shown = (changed.length > 0 ? changed : all).slice(0, shownMax);
  const more = all.length - shown.length;
  return html`<details><summary>${words.details(shown.length)}</summary><div class="scroll" role="region" aria-label="${words.details(shown.length)}" tabindex="0"><table class="changes"><thead><tr><th scope="col">${words.field}</th><th scope="col">${words.before}</th><th scope="col">${words.after}</th></tr></thead>
<tbody>${shown.map(({ field, before, after }) => html`<tr><th scope="row" lang="en">${sanitizeText(wordsOfField(field), 80)}</th><td>${renderValue(before)}</td><td>${renderValue(after)}</td></tr>`)}</tbody></table></div>${more > 0 && html`<p class="soft">${words.more(more)}</p>`}</details>`;
}

function renderValue(value: unknown): Content {
  if (value === null || value === undefined || value === '') return html`<span class="soft">–</span>`;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const isId = shorten(text) !== text;
  const shown = sanitizeText(text, textMax);
  return isId ? html`<code class="address">${shown}</code>` : shown;
}
