import type { Db, Row } from '#platform/db/db';
import { type LineType, lineTypes } from '../line.ts';
import type { LineRow } from '../line-row.ts';
import { type JoinedLines, type PackedLines, splitLines, unpackLines } from '../line-row.ts';
import { joinLines, newestFirst, oldestFirst, packLines } from './columns.ts';
import type { StatementSpan } from './statement.ts';

/** Which end of a period a statement begins with. */
export const lineOrders = ['newest', 'oldest'] as const;
export type LineOrder = (typeof lineOrders)[number];

/** The last line of a batch: the next batch starts after it, in the order of the statement. */
export type LineKey = Pick<LineRow, 'transactionMs' | 'number'>;

export interface BatchRequest {
  order: LineOrder;
  /** Of the batch before; undefined for the first batch. */
  after: LineKey | undefined;
  startAt?: Date | undefined;
  /** Inclusive. */
  endAt?: Date | undefined;
  limit: number;
  /** Only lines that move this account. */
  accountId?: bigint;
}

// Parameters: the list, its last number, the period, the place after which the batch starts, the limit, and
// for one account its id.
const inPeriod = (m: string) =>
  `${m}.transaction_at >= $3 and ${m}.transaction_at <= $4 and ${m}.number <= $2`;
const oldestOf = (type: LineType) =>
  `select * from ledger_lines l where l.list_id = $1 and l.type = '${type}' and ${inPeriod('l')}
     and (l.transaction_at, l.number) > ($5, $6) ${oldestFirst} limit $7`;
const ofAccount = (isAfter: '<' | '>', order: string) =>
  `select l.* from (select m.number from ledger_movements m where m.account_id = $8 and ${inPeriod('m')}
       and (m.transaction_at, m.number) ${isAfter} ($5, $6) ${order.replaceAll('l.', 'm.')} limit $7) m
     join ledger_lines l on l.list_id = $1 and l.number = m.number`;

const everyType = lineTypes.map((type) => `'${type}'`).join(', ');
type Pack = (order: string) => string;
const batchesOf = (pack: Pack): Record<LineOrder, { all: string; ofAccount: string }> => ({
  newest: {
    all: `select ${pack(newestFirst)} from ledger_newest($1, array[${everyType}]::ledger_line_type[], $3, least($4::timestamptz, $5::timestamptz), $6, $2, 0, $7) l`,
    ofAccount: `select ${pack(newestFirst)} from (${ofAccount('<', newestFirst)}) l`,
  },
  oldest: {
    all: `select ${pack(oldestFirst)} from (
       select * from (${lineTypes.map((type) => `(${oldestOf(type)})`).join(' union all ')}) l ${oldestFirst} limit $7) l`,
    ofAccount: `select ${pack(oldestFirst)} from (${ofAccount('>', oldestFirst)}) l`,
  },
});
const joined = batchesOf(joinLines);
const asJson = batchesOf(packLines);

const numberMax = 9223372036854775807n;

/** The next lines of every type of a statement's list. */
export async function selectStatementBatch(
  db: Db,
  { listId, lastNumber }: StatementSpan,
  { order, after, startAt, endAt, limit, accountId }: BatchRequest,
): Promise<LineRow[]> {
  const [from, to] = [startAt ?? '-infinity', endAt ?? 'infinity'];
  const edge = order === 'newest' ? [to, numberMax] : [from, 0n];
  const place = after ? [new Date(after.transactionMs), after.number] : edge;
  const which = accountId === undefined ? 'all' : 'ofAccount';
  const ofOne = accountId === undefined ? [] : [accountId];
  const values = [listId, lastNumber, from, to, ...place, limit, ...ofOne];
  // Taken out: the driver's results were seen to keep one another until V8 collects all of its memory.
  const pack = (await db.query<JoinedLines & Row>(joined[order][which], values)).pop()!;
  return (
    splitLines(pack) ?? unpackLines((await db.query<PackedLines & Row>(asJson[order][which], values)).pop()!)
  );
}
