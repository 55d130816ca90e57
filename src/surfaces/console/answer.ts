import type { Command } from '#platform/commands/command';
import { type Item, isInstant, isNested, shorten, wordsOfField } from '#platform/commands/values';
import { type Content, type Html, html } from '#platform/http/html';
import { isObject } from '#platform/values/is-object';
import { sanitizeText } from '#platform/values/sanitize-text';
import { renderInstant, renderStatus } from '#surfaces/frame';
import { placeOf } from './links.ts';
import type { Reader } from './visit.ts';

/** The command whose answer is shown, and who reads it. */
export interface AnswerView {
  reader: Reader;
  /** In a list of facts there is room for whole ids. */
  hasWholeIds?: boolean;
  command: Pick<Command, 'name' | 'columns' | 'output'>;
  /** What can be done with a row of a table. */
  actionsOf?: (row: Item) => Content[];
  /** The checkbox of a row of a table. */
  pickOf?: (row: Item) => Content;
}

/** A nested value in a cell is only a glimpse, so that pages of lists stay small. */
const [textMax, cellMax, rowsMax, depthMax] = [2_000, 300, 200, 6];

/** Any answer: plain fields as a list, lists of objects as tables, the rest as sections. */
export function renderAnswer(view: AnswerView, data: unknown, level = 2): Html {
  if (!isObject(data)) return html`<p>${renderValue(view, '', data)}</p>`;
  const fields = Object.entries(data).filter(([field]) => field !== 'nextCursor');
  const plain = fields.filter(([, value]) => !isNested(value) && !isEmptyList(value));
  const nested = fields.filter(([, value]) => isNested(value) || isEmptyList(value));
  const isList = nested.length === 1 && plain.length === 0;
  return html`${plain.length > 0 && renderFacts(plain.map(([field, value]) => [field, renderField({ ...view, hasWholeIds: true }, field, value)]))}
${nested.map(([field, value]) => renderSection(view, isList ? undefined : field, value, level))}`;
}

const isEmptyList = (value: unknown) => Array.isArray(value) && value.length === 0;

/** Terms are names of fields. */
export const renderFacts = (facts: readonly (readonly [string, Content])[]): Html =>
  html`<dl class="facts">${facts.map(([field, value]) => html`<div><dt lang="en">${wordsOfField(field)}</dt><dd>${value}</dd></div>`)}</dl>`;

function renderSection(view: AnswerView, field: string | undefined, value: unknown, level: number): Html {
  const title = field !== undefined && renderHeading(field, level);
  if (level > depthMax) return html`${title}<pre>${JSON.stringify(value, null, 2).slice(0, textMax)}</pre>`;
  if (isObject(value)) return html`<section>${title}${renderAnswer(view, value, level + 1)}</section>`;
  const rows = (value as unknown[]).map((row) => (isObject(row) ? row : { value: row }));
  return html`<section>${title}${renderTable(view, rows, field)}</section>`;
}

const renderHeading = (field: string, level: number): Html =>
  level === 2
    ? html`<h2 lang="en">${wordsOfField(field)}</h2>`
    : html`<h3 lang="en">${wordsOfField(field)}</h3>`;

/** Important columns first; columns without a value are left out. */
export function renderTable(view: AnswerView, rows: readonly Item[], label = view.command.name): Html {
  const { words } = view.reader;
  if (rows.length === 0) return html`<p class="soft">${words.result.empty}</p>`;
  const { columns = [] } = view.command;
  const fields = [...new Set([...columns, ...rows.flatMap((row) => Object.keys(row))])].filter((field) =>
    rows.some((row) => row[field] !== null && row[field] !== undefined && !isEmptyList(row[field])),
  );
  const shown = rows.slice(0, rowsMax);
  const more = rows.length - shown.length;
  const actions = shown.map((row) => view.actionsOf?.(row) ?? []);
  const hasActions = actions.some((some) => some.length > 0);
  const picks = shown.map((row) => view.pickOf?.(row));
  const hasPicks = picks.some((pick) => pick);
  return html`<div class="scroll" role="region" aria-label="${wordsOfField(label)}" tabindex="0"><table>
<thead><tr lang="en">${hasPicks && html`<th scope="col">choose</th>`}${fields.map((field) => html`<th scope="col">${wordsOfField(field)}</th>`)}${hasActions && html`<th scope="col">actions</th>`}</tr></thead>
<tbody>${shown.map((row, at) => html`<tr>${hasPicks && html`<td>${picks[at]}</td>`}${fields.map((field) => html`<td>${renderField(view, field, row[field])}</td>`)}${hasActions && html`<td>${actions[at]}</td>`}</tr>\n`)}</tbody>
</table></div>${more > 0 && html`<p class="soft">${words.result.more(more)}</p>`}`;
}

function renderField(view: AnswerView, field: string, value: unknown): Content {
  const shown = renderValue(view, field, value);
  const isSecret = typeof value === 'string' && isShownOnce(view.command.output, field);
  return isSecret ? html`<mark class="secret"><code>${value}</code></mark>` : shown;
}

function renderValue({ reader, command, hasWholeIds }: AnswerView, field: string, value: unknown): Content {
  const { result } = reader.words;
  if (value === null || value === undefined || value === '') return html`<span class="soft">–</span>`;
  if (typeof value === 'boolean') return value ? result.yes : result.no;
  if (isInstant(value)) return renderInstant(reader, value);
  if (isNested(value))
    return html`<details><summary><code>…</code></summary><pre>${glimpseOf(value)}</pre></details>`;
  if (Array.isArray(value)) return value.map((one) => sanitizeText(String(one))).join(', ') || '–';
  const text = sanitizeText(String(value), textMax);
  const place = placeOf(command.name, field, value);
  const short = shorten(text);
  const isId = short !== text;
  const content = isId ? html`<code title="${text}">${hasWholeIds ? text : short}</code>` : text;
  if (place !== undefined) return html`<a href="${place}">${content}</a>`;
  return field === 'status' || field === 'state' ? renderStatus(reader, text) : content;
}

function glimpseOf(value: unknown): string {
  const text = JSON.stringify(value, null, 1);
  return text.length > cellMax ? `${text.slice(0, cellMax)}…` : text;
}

interface OutputSchema {
  properties?: Record<string, OutputSchema>;
  items?: OutputSchema;
  description?: string;
}

/** Whether the command's schema says that a field is shown only in this answer. */
export function isShownOnce(schema: object, field: string): boolean {
  const { properties = {}, items } = schema as OutputSchema;
  if (items && isShownOnce(items, field)) return true;
  return Object.entries(properties).some(
    ([name, inner]) =>
      (name === field && (inner.description?.includes('hown only') ?? false)) || isShownOnce(inner, field),
  );
}
