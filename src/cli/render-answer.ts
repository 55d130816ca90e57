import { type Item, isNested } from '#platform/commands/values';
import { isObject } from '#platform/values/is-object';
import { dim } from '#platform/values/text-style';
import { renderRecord, renderRows } from './sections.ts';
import { renderTable } from './table.ts';
import { textWidth } from './text-width.ts';
import { continueWord, type View, wrap } from './view.ts';

/** The rows of an answer that is a list: `items`, or its only field. */
export function rowsOf(data: Item): Item[] | undefined {
  const [only, ...others] = Object.values(data);
  const list = data.items ?? (others.length === 0 ? only : undefined);
  return Array.isArray(list) && list.every(isObject) ? list : undefined;
}

/** An answer for a person: a table for a list, sections for one record. */
export function renderAnswer(data: Item, view: View, columns: readonly string[] = []): string {
  const rows = rowsOf(data);
  if (!rows) return renderRecord(data, view).join('\n');
  if (rows.length === 0) return 'Nothing found.';
  const isList =
    columns.length > 0 || 'items' in data || !rows.some((row) => Object.values(row).some(isNested));
  if (!isList) return renderRows(rows, view).join('\n');
  const { lines, notes: left } = renderTable(rows, view, columns);
  const width = Math.max(view.width, 40);
  const notes = [...left.flatMap((note) => wrap(note, width)), ...describeNext(data.nextCursor, width)];
  return [...lines, ...(notes.length > 0 ? ['', ...notes.map(dim)] : [])].join('\n');
}

/** The cursor must stay whole for who copies it. */
function describeNext(cursor: unknown, width: number): string[] {
  if (!cursor) return [];
  const start = 'More: add --cursor';
  const word = String(cursor);
  return start.length + 1 + textWidth(word) <= width
    ? [`${start} ${word}`]
    : [`${start} \\`, continueWord(word, width)];
}
