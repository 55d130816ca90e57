import { writeCell } from '#platform/values/csv-cell';
import type { LineView, Statement } from '../open-statement.ts';
import { CsvChunk } from './csv-chunk.ts';
import { takeLines } from './take-lines.ts';
import type { StatementStyle } from './writer.ts';

/**
 * The columns: the fields of `GET /api/history`, and which network and asset `amount` and `runningBalance`
 * are of.
 */
export const csvColumns = [
  'id',
  'uniqueHashId',
  'transactionDate',
  'transactionType',
  'description',
  'status',
  'network',
  'asset',
  'amount',
  'assetSent',
  'amountSent',
  'assetReceived',
  'amountReceived',
  'runningBalance',
  'executedAt',
  'transactionPurpose',
  'userDescription',
] as (keyof LineView)[];

/** After those, so that programs which read columns by their place still find them. */
export const lastColumn = 'signedAmount';

const byteOrderMark = '\ufeff';

/** RFC 4180 in UTF-8: a head, then one row a line. */
export async function* writeCsv(
  statement: Statement,
  { hasBom }: Pick<StatementStyle, 'hasBom'>,
): AsyncGenerator<Buffer> {
  yield Buffer.from(`${hasBom ? byteOrderMark : ''}${[...csvColumns, lastColumn].join(',')}\r\n`);
  const chunk = new CsvChunk();
  for await (const lines of takeLines(statement)) {
    for (const line of lines) {
      addRow(chunk, line);
      if (chunk.isFull) yield chunk.take();
    }
  }
  if (!chunk.isEmpty) yield chunk.take();
}

/** The cells of `csvColumns`. Instants, types and amounts are our own spelling and need no look. */
function addRow(chunk: CsvChunk, line: LineView): void {
  addForeign(chunk, line.id);
  addForeign(chunk, line.uniqueHashId);
  chunk.addCell(line.transactionDate);
  chunk.addCell(line.transactionType);
  addForeign(chunk, line.description);
  addForeign(chunk, line.status);
  addForeign(chunk, line.network);
  addForeign(chunk, line.asset);
  chunk.addCell(line.amount);
  addForeign(chunk, line.assetSent);
  chunk.addCell(line.amountSent);
  addForeign(chunk, line.assetReceived);
  chunk.addCell(line.amountReceived);
  chunk.addCell(line.runningBalance);
  chunk.addCell(line.executedAt);
  addForeign(chunk, line.transactionPurpose);
  addForeign(chunk, line.userDescription);
  if (line.amountReceived === null) chunk.addNegative(line.amount);
  else chunk.addCell(line.amount);
  chunk.endRow();
}

function addForeign(chunk: CsvChunk, text: string | null): void {
  if (!chunk.addPlainCell(text)) chunk.addCell(writeCell(text));
}
