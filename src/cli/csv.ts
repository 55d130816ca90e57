import { type Item, isNested } from '#platform/commands/values';
import { isObject } from '#platform/values/is-object';

/** Comma-separated values by RFC 4180, with a heading. Nested values are JSON. */
export function renderCsv(rows: readonly Item[]): string {
  const fields = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  return [fields, ...rows.map((row) => fields.map((field) => writeValue(row[field])))]
    .map((cells) => cells.map(quote).join(','))
    .join('\r\n');
}

function writeValue(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (isNested(value) || isObject(value)) return JSON.stringify(value);
  const text = String(value);
  // A spreadsheet would run a name such as `=cmd` as a formula.
  return /^[=+\-@\t\r]/.test(text) && Number.isNaN(Number(text)) ? `'${text}` : text;
}

const quote = (cell: string) => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);
