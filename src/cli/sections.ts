import { type Item, isInstant, isNested, showAge, showValue, wordsOfField } from '#platform/commands/values';
import { isObject } from '#platform/values/is-object';
import { bold, dim } from '#platform/values/text-style';
import { colourCell } from './colour.ts';
import { renderTable } from './table.ts';
import { hasRoom, type View, wrap } from './view.ts';

const indent = '  ';
/** Rows of a list inside a record, unless `--wide`. */
const rowsMax = 20;

const indented = (lines: string[]) => lines.map((line) => (line === '' ? '' : indent + line));

/** One record: a line for each plain field, then a section for each nested one. */
export function renderRecord(record: Item, view: View): string[] {
  const fields = Object.entries(record);
  const plain = fields.filter(([, value]) => !isNested(value));
  const width = Math.max(0, ...plain.map(([field]) => wordsOfField(field).length)) + 2;
  const lines = plain.flatMap(([field, value]) => {
    const text = showField(value, view);
    // A hash is easier to read, and to copy, on a line that has it all.
    if (!hasRoom(text, view.width - width))
      return [dim(wordsOfField(field)), ...indented(wrap(text, view.width - indent.length))];
    const [first = '', ...rest] = wrap(text, view.width - width);
    const label = dim(wordsOfField(field).padEnd(width));
    return [label + colourCell(field, first), ...rest.map((line) => ' '.repeat(width) + line)];
  });
  const sections = fields
    .filter(([, value]) => isNested(value))
    .map(([field, value]) => renderSection(wordsOfField(field), value, view));
  return [lines, ...sections]
    .filter((block) => block.length > 0)
    .flatMap((block, at) => (at === 0 ? block : ['', ...block]));
}

function showField(value: unknown, { now, isWide }: View): string {
  const text = showValue(value) || '-';
  return isInstant(value) && !isWide ? `${text} (${showAge(value, now)})` : text;
}

function renderSection(title: string, value: unknown, view: View): string[] {
  const inner = { ...view, width: view.width - indent.length };
  if (isObject(value)) return [bold(title), ...indented(renderRecord(value, inner))];
  const rows = (value as unknown[]).map((row) => (isObject(row) ? row : { value: row }));
  return [bold(`${title} (${rows.length})`), ...indented(renderRows(rows, inner))];
}

/** A table; but records if they have nested fields, or if it is one row that does not fit. */
export function renderRows(rows: readonly Item[], view: View): string[] {
  const shown = view.isWide ? rows : rows.slice(0, rowsMax);
  const more = rows.length - shown.length;
  const rest = more > 0 ? [dim(`… and ${more} more: use --wide or --json`)] : [];
  if (shown.some((row) => Object.values(row).some(isNested))) {
    const rule = dim('─'.repeat(Math.min(view.width, 40)));
    const records = shown.map((row) => renderRecord(row, view));
    return [...records.flatMap((lines, at) => (at === 0 ? lines : ['', rule, ...lines])), ...rest];
  }
  const { lines, notes, isWhole } = renderTable(shown, { ...view, hasTimes: true });
  if (!isWhole && rows.length === 1) return renderRecord(rows[0]!, view);
  return [...lines, ...notes.flatMap((note) => wrap(note, Math.max(view.width, 40))).map(dim), ...rest];
}
