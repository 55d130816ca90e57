import {
  type Item,
  isInstant,
  isNested,
  shorten,
  showAge,
  showValue,
  wordsOfField,
} from '#platform/commands/values';
import { bold } from '#platform/values/text-style';
import { colourCell } from './colour.ts';
import { takeColumns, textWidth } from './text-width.ts';
import type { View } from './view.ts';

export interface Table {
  lines: string[];
  /** What else the rows have, and the flags that show it. */
  notes: string[];
  isWhole: boolean;
}

interface Column {
  field: string;
  title: string;
  /** With ids in full, and with short ones. */
  full: string[];
  short: string[];
}

interface Shown {
  field: string;
  title: string;
  cells: string[];
  width: number;
  isNumber: boolean;
}

const gap = '  ';
/** A longer text is cut, unless the table is wide; the second number is for tables with short ids. */
const [textMax, shortTextMax] = [48, 28];

/**
 * A row is one line. `first` are the important fields; the others follow where there is room. Ids are
 * shortened before a column is left out, and the id of the row itself after the others.
 */
export function renderTable(items: readonly Item[], view: View, first: readonly string[] = []): Table {
  const fields = [...new Set([...first, ...items.flatMap((item) => Object.keys(item))])];
  const flat = fields.filter((field) => !items.some((item) => isNested(item[field])));
  const columns = flat.map((field) => toColumn(field, items, view)).filter(({ full }) => full.some(Boolean));
  const shown = fit(columns, view, first);
  const unfit = columns.filter(({ field }) => !shown.some((column) => column.field === field));
  const nested = fields.filter((field) => !flat.includes(field));
  const heading = shown.map(({ title, width, isNumber }, at) => {
    if (isNumber) return bold(title.padStart(width));
    return bold(title) + ' '.repeat(at < shown.length - 1 ? width - title.length : 0);
  });
  const rows = items.map((_, row) =>
    shown.map(
      ({ field, cells, width }) =>
        colourCell(field, cells[row]!) + ' '.repeat(width - textWidth(cells[row]!)),
    ),
  );
  return {
    lines: [heading, ...rows].map((line) => line.join(gap).trimEnd()),
    notes: [
      ...noteOf(
        unfit.map(({ field }) => field),
        '--wide',
      ),
      ...noteOf(nested, '--json'),
    ],
    isWhole: unfit.length === 0,
  };
}

const noteOf = (fields: readonly string[], flag: string) =>
  fields.length > 0 ? [`Not shown: ${fields.map(wordsOfField).join(', ')}. Add ${flag}`] : [];

function toColumn(field: string, items: readonly Item[], { isWide, now, hasTimes }: View): Column {
  const values = items.map((item) => item[field]);
  const hasAges = !isWide && !hasTimes && values.some(isInstant);
  const full = values.map((value) => {
    if (hasAges && isInstant(value)) return showAge(value, now);
    const text = showValue(value);
    return isWide ? text : cutText(text, textMax);
  });
  // `CREATED 3m ago`, but `LAST BLOCK AT`: a block is also a number.
  const title = wordsOfField(hasAges ? field.replace(/(?<!Block)At$/, '') : field).toUpperCase();
  return {
    field,
    title,
    full,
    short: isWide ? full : full.map((text) => cutText(shorten(text), shortTextMax)),
  };
}

/** Ids that `shorten` knows are not cut, because half of one helps nobody. Nor is one word, up to a limit. */
function cutText(text: string, max: number): string {
  const most = text.includes(' ') ? max : Math.max(max, textMax);
  return textWidth(text) <= most || text !== shorten(text) ? text : cutTo(text, most);
}

const cutTo = (text: string, columns: number) =>
  textWidth(text) <= columns ? text : `${takeColumns(text, columns - 1).trimEnd()}…`;

function fit(columns: readonly Column[], { width, isWide }: View, first: readonly string[]): Shown[] {
  if (isWide) return columns.map((column) => show(column, 'full'));
  const isFirst = ({ field }: Column) => first.length === 0 || first.includes(field);
  const main = columns.filter(isFirst);
  const ways = [
    main.map((column) => show(column, 'full')),
    main.map((column) => show(column, column.field === 'id' ? 'full' : 'short')),
    main.map((column) => show(column, 'short')),
  ];
  const whole = ways.find((way) => widthOf(way) <= width);
  const shown: Shown[] = [];
  const extra = columns.filter((column) => !isFirst(column)).map((column) => show(column, 'short'));
  for (const column of whole ? [...whole, ...extra] : ways[2]!) {
    if (shown.length === 0) shown.push(narrow(column, width));
    else if (widthOf([...shown, column]) <= width) shown.push(column);
  }
  return shown;
}

/** The first column is shown even if the terminal is narrower than its cells. */
const narrow = (column: Shown, width: number): Shown =>
  column.width <= width
    ? column
    : { ...column, width, cells: column.cells.map((cell) => cutTo(cell, width)) };

const widthOf = (columns: readonly Shown[]) =>
  columns.reduce((sum, { width }) => sum + width + gap.length, -gap.length);

function show({ field, title, ...texts }: Column, form: 'full' | 'short'): Shown {
  const isNumber = texts.full.every((text) => /^(-?\d+(\.\d+)?)?$/.test(text));
  const cells = isNumber ? alignNumbers(texts.full, title.length) : texts[form];
  return {
    field,
    title,
    cells,
    isNumber,
    width: Math.max(title.length, ...cells.map(textWidth)),
  };
}

/** Decimal points below each other. */
function alignNumbers(cells: readonly string[], widthMin: number): string[] {
  const fractionOf = (cell: string) => cell.length - (cell.indexOf('.') + 1 || cell.length + 1) + 1;
  const most = Math.max(...cells.map(fractionOf));
  const padded = cells.map((cell) => cell + ' '.repeat(most - fractionOf(cell)));
  const width = Math.max(widthMin, ...padded.map((cell) => cell.length));
  return padded.map((cell) => cell.padStart(width));
}
