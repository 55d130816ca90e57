import { figureColumns, nullableTexts, separator, textColumns } from '../line-row.ts';

// Statement texts are built once, because the driver finds prepared statements by their text.
const selectOf = (l: string, name: string) =>
  name.endsWith('_at') ? `round(date_part('epoch', ${l}.${name}) * 1000)` : `${l}.${name}`;
/** `transaction_at` is `transactionMs`. */
const fieldOf = (name: string) =>
  name.replace(/_at$/, '_ms').replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

/** The fields of a `LineRow`. */
export const columns = (l: string) =>
  [...figureColumns, ...textColumns].map((name) => `${selectOf(l, name)} as "${fieldOf(name)}"`).join(', ');

const unit = `'${separator}'`;

// All lines of a page as two values: parsing rows and columns takes the server longer than everything else
// about a page. Texts are JSON; figures are separated by blanks.
export const newestFirst = 'order by l.transaction_at desc, l.number desc';
export const oldestFirst = 'order by l.transaction_at, l.number';
/** The lines `l` in this order, as `unpackLines` reads them. */
export const packLines = (order: string) => `array_to_json(array_agg(
    array[${textColumns.map((name) => `l.${name}`).join(', ')}] ${order})) as texts,
  ${figures(order)}`;
const figures = (order: string) =>
  `string_agg(concat(${figureColumns.map((name) => selectOf('l', name)).join(`, ' ', `)}), ' ' ${order}) as figures`;

/** A tenth less work for the database than JSON, and half as much for us. `splitLines` reads it. */
export const joinLines = (order: string) => {
  const texts = textColumns.map((name) => (nullableTexts.includes(name) ? `'=' || l.${name}` : `l.${name}`));
  return `string_agg(concat(${texts.join(`, ${unit}, `)}), ${unit} ${order}) as texts,
  ${figures(order)}`;
};
