import type { AuditRow } from '#features/audit';
import { shorten, wordsOfField } from '#platform/commands/values';
import { type Content, type Html, html } from '#platform/http/html';
import { sanitizeText } from '#platform/values/sanitize-text';
import { type Field, renderFacts, renderInstant } from '#surfaces/frame';
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
/** The page of one row. */
export const auditRowAddress = (id: string) => `${path}/${encodeURIComponent(id)}`;

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
  const { id, at, actorKind, action } = row;
  const number = html`<a href="${auditRowAddress(id)}">${words.number(id)}</a>`;
  return html`<li id="row-${id}">${renderInstant(visit, at)} <strong><a href="${auditAddress({ action })}" title="${words.sameAction}" lang="en">${sanitizeText(action)}</a></strong>
${renderSubject(row, shorten)} ${words.by} ${renderActor(visit, row, shorten)} <small>${words.kinds[actorKind] ?? actorKind} · ${number}</small>
${renderDifferences(visit, row)}</li>`;
}

const whole = (text: string) => text;

/** With the page about it, if there is one. */
function renderSubject({ subject }: AuditRow, spell = whole): Html {
  const place = placeOf('audit.list', 'subject', subject);
  const name = html`<code title="${subject}">${sanitizeText(spell(subject), 200)}</code>`;
  return place === undefined ? name : html`<a href="${place}">${name}</a>`;
}

const renderActor = ({ words: { audit } }: Visit, { actorId }: AuditRow, spell = whole): Html =>
  html`<a href="${auditAddress({ actor: actorId })}" title="${audit.sameActor}">${sanitizeText(spell(actorId), 200)}</a>`;

/** One row with all of its fields. */
export function renderAuditRow(visit: Visit, row: AuditRow): string {
  const { audit: words } = visit.words;
  const { id, at, actorKind, action, before, after } = row;
  const all = differencesOf(before, after);
  const shown = withinBudget(all);
  const more = all.length - shown.length;
  const title = `${action}: ${words.number(id)}`;
  return renderPage(visit, {
    title,
    body: html`<h1 class="as-is">${sanitizeText(action)} <small>${words.number(id)}</small></h1>
<section class="card">${renderFacts([
      [words.at, renderInstant(visit, at)],
      [
        words.fields.actor,
        html`${renderActor(visit, row)} <small>${words.kinds[actorKind] ?? actorKind}</small>`,
      ],
      [
        words.fields.action,
        html`<a href="${auditAddress({ action })}" title="${words.sameAction}" lang="en">${sanitizeText(action)}</a>`,
      ],
      [words.fields.subject, renderSubject(row)],
    ])}</section>
<section class="card"><h2>${words.details(all.length)}</h2>${all.length === 0 ? html`<p class="soft">${words.noFields}</p>` : renderTable(visit, shown, words.details(all.length), valueMax)}
${more > 0 && html`<p>${words.more(more)}. ${words.whole} <code>causeway audit show ${id} --json</code></p>`}</section>
<p class="actions"><a class="button quiet" href="${auditAddress({ subject: row.subject })}">${words.ofSubject}</a></p>`,
  });
}

/** A page has at most 60 kB; a few characters need five bytes. */
const [valueMax, budgetMax] = [4_000, 20_000];

function withinBudget(all: readonly Difference[]): readonly Difference[] {
  const shown: Difference[] = [];
  let left = budgetMax;
  for (const one of all) {
    left -=
      rowLength + textOf(one.before).slice(0, valueMax).length + textOf(one.after).slice(0, valueMax).length;
    if (left < 0) return shown;
    shown.push(one);
  }
  return shown;
}

/** Markup of a row. */
const rowLength = 120;

/** What a page of 20 rows has room for. */
const [shownMax, textMax] = [10, 160];

function renderDifferences(visit: Visit, { id, before, after }: AuditRow): Content {
  const { audit: words } = visit.words;
  const all = differencesOf(before, after);
  if (all.length === 0) return html`<p class="soft">${words.noFields}</p>`;
  const changed = all.filter(({ isChanged }) => isChanged);
  const shown = (changed.length > 0 ? changed : all).slice(0, shownMax);
  const more = all.length - shown.length;
  const label = words.details(shown.length);
  return html`<details><summary>${label}</summary>${renderTable(visit, shown, label, textMax)}${more > 0 && html`<p><a href="${auditRowAddress(id)}">${words.more(more)}</a></p>`}</details>`;
}

const renderTable = (
  { words: { audit: words } }: Visit,
  shown: readonly Difference[],
  label: string,
  max: number,
): Html =>
  html`<div class="scroll" role="region" aria-label="${label}" tabindex="0"><table class="changes"><thead><tr><th scope="col">${words.field}</th><th scope="col">${words.before}</th><th scope="col">${words.after}</th></tr></thead>
<tbody>${shown.map(({ field, before, after, isChanged }) => html`<tr${!isChanged && html` class="same"`}><th scope="row" lang="en">${sanitizeText(wordsOfField(field), 80)}</th><td>${renderValue(before, max)}</td><td>${renderValue(after, max)}</td></tr>`)}</tbody></table></div>`;

const textOf = (value: unknown) => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));

function renderValue(value: unknown, max: number): Content {
  if (value === null || value === undefined || value === '') return html`<span class="soft">–</span>`;
  const text = textOf(value);
  const isId = shorten(text) !== text;
  const shown = sanitizeText(text, max);
  return isId ? html`<code class="address">${shown}</code>` : shown;
}
