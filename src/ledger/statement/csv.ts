import type { LineView, Statement } from '../open-statement.ts';
import { takeLines } from './take-lines.ts';

/** The columns: the fields of `GET /api/history`, and which network and asset `amount` and `runningBalance` are of. */
export const csvColumns = [
  ...['id', 'uniqueHashId', 'transactionDate', 'transactionType', 'description', 'status', 'network'],
  ...['asset', 'amount', 'assetSent', 'amountSent', 'assetReceived', 'amountReceived', 'runningBalance'],
  ...['executedAt', 'transactionPurpose', 'userDescription'],
] as (keyof LineView)[];

/** RFC 4180 in UTF-8: a head, then one row a line. */
export async function* writeCsv(statement: Statement): AsyncGenerator<string> {
  yield `${csvColumns.join(',')}\r\n`;
  for await (const lines of takeLines(statement)) {
    for (let at = 0; at < lines.length; at += chunkLines) yield writeRows(lines.slice(at, at + chunkLines));
  }
}

/** Some hundred kilobytes: larger texts are slower to make and stay in memory for longer. */
const chunkLines = 250;

const writeRows = (lines: readonly LineView[]) => `${lines.map(writeRow).join('\r\n')}\r\n`;

/** The cells of `csvColumns`, and nothing for null. Instants, types and amounts are our own spelling and need no look. */
const writeRow = (line: LineView) =>
  [
    ...[writeCell(line.id), writeCell(line.uniqueHashId), line.transactionDate, line.transactionType],
    ...[writeCell(line.description), writeCell(line.status), writeCell(line.network)],
    ...[writeCell(line.asset), line.amount, writeCell(line.assetSent), line.amountSent],
    ...[writeCell(line.assetReceived), line.amountReceived, line.runningBalance],
    ...[line.executedAt, writeCell(line.transactionPurpose), writeCell(line.userDescription)],
  ].join(',');

/** Nearly every cell: nothing to quote, and a beginning that no spreadsheet takes for a formula. */
const plain = /^(?:[A-Za-z0-9][A-Za-z0-9 .:_/()#-]*)?$/;
const number = /^-?[0-9]+(?:\.[0-9]+)?$/;

export function writeCell(text: string | null): string {
  if (text === null || plain.test(text) || number.test(text)) return text ?? '';
  const guarded = guardCell(text);
  return /[",\r\n;\t]/.test(guarded) || guarded !== guarded.trim()
    ? `"${guarded.replaceAll('"', '""')}"`
    : guarded;
}

/**
 * A spreadsheet runs a cell that begins like a formula, and descriptions come from other people: an apostrophe before it makes
 * it a text. Also after what separates cells in another country's settings, where one of our cells becomes two.
 */
export function guardCell(text: string): string {
  if (number.test(text)) return text;
  const guarded = text.replace(formula, "$1'$2");
  return /^[\t\r\n]/.test(guarded) ? `'${guarded}` : guarded;
}

const formula = /(^|[;\t\r\n])([ "']*[=+\-@\uff1d\uff0b\uff0d\uff20])/g;
