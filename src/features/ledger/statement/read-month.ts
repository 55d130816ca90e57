import type { Ctx } from '#context';
import { readPeriod } from '#platform/values/instant';
import { sanitizeText } from '#platform/values/sanitize-text';
import { ledgerErrors } from '../errors.ts';
import { lineTypes } from '../lines/line.ts';
import { type LineView, openStatement } from '../open-statement.ts';
import { writeCsv } from './csv.ts';

/** About 250 kilobytes. */
export const monthLinesMax = 1_000;

/**
 * A month, such as 2026-10, as a CSV statement for a model. A longer one is refused, because a part of a
 * statement would look like all of it.
 */
export async function readMonth(
  ctx: Ctx,
  { userId, month }: { userId: string; month: string },
): Promise<string> {
  const period = readPeriod(['month', month], ['month', month]);
  const statement = await openStatement(ctx, { userId, types: lineTypes, ...period });
  const { lineCount } = statement;
  if (lineCount > monthLinesMax) {
    const message = [
      `${month} has ${lineCount} lines, and a statement that is read here at most ${monthLinesMax}.`,
      'Call getAccountHistory with a part of the month as startDate and endDate,',
      `or download /api/history/statement?startDate=${month}&endDate=${month}`,
    ].join(' ');
    throw ledgerErrors.monthTooLong({ message });
  }
  const chunks: Buffer[] = [];
  const inert = { ...statement, batches: sanitizeLines(statement.batches) };
  for await (const chunk of writeCsv(inert, { hasBom: false })) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

/** A model must not read what a person does not see. */
async function* sanitizeLines(batches: AsyncIterable<LineView[]>): AsyncGenerator<LineView[]> {
  for await (const lines of batches) {
    yield lines.map((line) => ({
      ...line,
      id: sanitizeText(line.id),
      description: sanitizeText(line.description),
      status: sanitizeText(line.status),
      transactionPurpose: sanitizeText(line.transactionPurpose),
      userDescription: line.userDescription === null ? null : sanitizeText(line.userDescription),
    }));
  }
}
