import { batchLoader } from '#platform/db/batch-loader';
import type { Db, Row } from '#platform/db/db';
import { type LineFilter, type LineRow, type LineType, lineTypes } from './line.ts';
import { type PackedLines, unpackLines } from './unpack-lines.ts';

// Statement texts are built once, because the driver finds prepared statements by their text.
const ms = (column: string) => `round(date_part('epoch', ${column}) * 1000)`;

const columns = (l: string) => `${l}.type, ${ms(`${l}.transaction_at`)} as "transactionMs", ${l}.number,
  ${l}.operation_id as "operationId", ${l}.unique_hash_id as "uniqueHashId", ${l}.sent_account_id as "sentAccountId",
  ${l}.sent_amount as "sentAmount", ${l}.received_account_id as "receivedAccountId", ${l}.received_amount as "receivedAmount",
  ${l}.status, ${l}.description, ${l}.purpose, ${l}.user_description as "userDescription", ${ms(`${l}.executed_at`)} as "executedMs"`;

interface Slice {
  offset: number;
  limit: number;
}

interface Counted<Line> {
  total: number;
  lines: Line[];
}

export interface PageRow extends LineRow {
  network: string;
  sentCurrency: string | null;
  receivedCurrency: string | null;
  runningBalance: bigint;
}

/**
 * An account of the user, at least each that the lines of a page move, with what it had after the newest of
 * them.
 */
interface PageAccount {
  accountId: bigint;
  network: string;
  currency: string;
  balance: bigint;
}

/** Consecutive lines of every type. */
interface FullPage extends Counted<LineRow> {
  accounts: PageAccount[];
}

// All lines of a page as two values: parsing rows and columns takes the server longer than everything else
// about a page. Texts are JSON; figures are separated by blanks. `unpackLines` expects this order.
const figureColumns = [
  'l.type',
  ms('l.transaction_at'),
  'l.number',
  'l.sent_account_id',
  'l.sent_amount',
  'l.received_account_id',
  'l.received_amount',
  ms('l.executed_at'),
];
const newestFirst = 'order by l.transaction_at desc, l.number desc';
const packed = `array_to_json(array_agg(
    array[l.operation_id, l.unique_hash_id, l.status, l.description, l.purpose, l.user_description] ${newestFirst})) as texts,
  string_agg(concat(${figureColumns.join(`, ' ', `)}), ' ' ${newestFirst}) as figures`;

const newestOf = (type: LineType) =>
  `select * from ledger_lines where list_id = h.id and type = '${type}' order by transaction_at desc, number desc limit q.size`;

// The arrays are wrapped in subselects: if the planner sees their length, PostgreSQL makes a new plan for
// each call.
const newestLines = `select q.place::integer, h.total, p.*, a.accounts
   from unnest((select $1::uuid[]), (select $2::bigint[])) with ordinality as q (user_id, size, place)
   cross join lateral (
     select l.id, l.buys + l.sells + l.swaps + l.transfers as total from ledger_lists l
     where l.user_id = q.user_id and l.is_settled offset 0
   ) h
   cross join lateral (
     select ${packed}
     from (${lineTypes.map((type) => `(${newestOf(type)})`).join(' union all ')}
       order by transaction_at desc, number desc limit q.size) l
   ) p
   cross join lateral (
     select string_agg(concat(b.id, ' ', b.network, ' ', b.currency, ' ', b.balance), ' ') as accounts
     from ledger_accounts b where b.user_id = q.user_id
   ) a`;

interface PackedPage extends PackedLines {
  total: bigint | null;
  /** Names of networks and currencies have no blanks in them either. */
  accounts: string | null;
}

/**
 * The newest lines of every type, the accounts' current balances, and the number of lines. This is the most
 * frequent page, and needs neither a position nor sums of earlier movements.
 */
export const selectNewestLines = batchLoader(
  async (db: Db, asked: { userId: string; limit: number }[]): Promise<FullPage[]> => {
    const rows = await db.query<PackedPage & { place: number } & Row>(newestLines, [
      asked.map(({ userId }) => userId),
      asked.map(({ limit }) => limit),
    ]);
    const pages: FullPage[] = asked.map(() => ({ total: 0, lines: [], accounts: [] }));
    for (const row of rows) pages[row.place - 1] = unpackPage(row);
    return pages;
  },
);

const unpackPage = (row: PackedPage): FullPage => ({
  total: Number(row.total ?? 0),
  lines: unpackLines(row),
  accounts: unpackAccounts(row.accounts ?? ''),
});

function unpackAccounts(figures: string): PageAccount[] {
  const all = figures.split(' ');
  const accounts: PageAccount[] = [];
  for (let at = 0; at + 3 < all.length; at += 4) {
    const [accountId, balance] = [BigInt(all[at]!), BigInt(all[at + 3]!)];
    accounts.push({ accountId, network: all[at + 1]!, currency: all[at + 2]!, balance });
  }
  return accounts;
}

const fullPage = `select f.total, p.*, f.accounts
   from ledger_lines_page($1, $2::timestamptz, $3::timestamptz, $4::bigint, $5::bigint) f
   cross join lateral (select ${packed} from unnest(f.lines) l) p`;

/**
 * Any page of every type and the exact number of lines in its window, in one snapshot; see
 * `ledger_lines_page`.
 */
export async function selectFullPage(
  db: Db,
  { userId, startAt, endAt }: Omit<LineFilter, 'types'>,
  { offset, limit }: Slice,
): Promise<FullPage> {
  const [row] = await db.query<PackedPage & Row>(fullPage, [
    userId,
    startAt ?? null,
    endAt ?? null,
    offset,
    limit,
  ]);
  return unpackPage(row!);
}

const typedPage = `select p.total, ${columns('(p.line)')}, coalesce(r.network, s.network) as network, s.currency as "sentCurrency",
     r.currency as "receivedCurrency", p.balance as "runningBalance"
   from ledger_page($1, $2::ledger_line_type[], $3::timestamptz, $4::timestamptz, $5::bigint, $6::bigint) p
   left join ledger_accounts s on s.id = (p.line).sent_account_id
   left join ledger_accounts r on r.id = (p.line).received_account_id
   order by (p.line).transaction_at desc, (p.line).number desc`;

/**
 * The same for some types. Each line has its balance, because lines of other types in between move balances
 * too.
 */
export async function selectTypedPage(
  db: Db,
  { userId, types, startAt, endAt }: LineFilter,
  { offset, limit }: Slice,
): Promise<Counted<PageRow>> {
  const rows = await db.query<PageRow & { total: bigint } & Row>(typedPage, [
    userId,
    types,
    startAt ?? null,
    endAt ?? null,
    offset,
    limit,
  ]);
  return counted(rows);
}

const isOfTransaction = (l: string) => `${l}.unique_hash_id >= $2 || ':' and ${l}.unique_hash_id < $2 || ';'`;

const linesOfTransaction = `with placed as materialized (
     select l.* from ledger_lists h join ledger_lines l on l.list_id = h.id
     where h.user_id = $1 and h.is_settled and ${isOfTransaction('l')}
   ), operations as (
     select p.list_id, p.operation_id from placed p
     union
     select p.list_id, a.network || ':' || p.unique_hash_id collate "default" from placed p, ledger_accounts a where a.user_id = $1
   ), found as (
     select * from placed
     union all
     -- Operation by operation: left to itself, the planner may read all lines that there are.
     select l.* from operations o cross join lateral (
       select * from ledger_lines where list_id = o.list_id and operation_id = o.operation_id offset 0) l
     where not (${isOfTransaction('l')})
       and exists (select from ledger_postings t where t.id = l.posting_id and t.transaction_hash = $2)
   )
   select ${columns('l')}, coalesce(r.network, s.network) as network, s.currency as "sentCurrency", r.currency as "receivedCurrency",
     b.balance as "runningBalance"
   from found l
   left join ledger_accounts s on s.id = l.sent_account_id
   left join ledger_accounts r on r.id = l.received_account_id
   cross join lateral ledger_balances_before(l.list_id, array[coalesce(r.id, s.id)], l.transaction_at, l.number + 1) b
   order by l.transaction_at desc, l.number desc`;

/**
 * A user's lines of one transaction, its hash in lower case, each with the balance after it. A range of the
 * index of places on chain, which is in the order of bytes; and, by their operations, those that have no
 * place because another line of the same transaction has it: what a withdrawal to oneself brings.
 */
export async function selectLinesOfTransaction(
  db: Db,
  userId: string,
  transactionHash: string,
): Promise<PageRow[]> {
  return db.query<PageRow & Row>(linesOfTransaction, [userId, transactionHash]);
}

/** Every row has the total; an empty page is one row with the total only. */
const counted = <Line extends LineRow>(rows: (Line & { total: bigint })[]): Counted<Line> => ({
  total: Number(rows[0]?.total ?? 0),
  lines: rows.filter(({ number }) => number !== null),
});

export interface StatementAccount {
  accountId: bigint;
  network: string;
  currency: string;
  opening: bigint;
  closing: bigint;
}

export interface StatementSpan {
  listId: bigint;
  /** Lines with a higher number were posted later and do not belong to it. */
  lastNumber: bigint;
  total: bigint;
  accounts: StatementAccount[];
}

/** The head of a statement, in one snapshot; undefined for a user without lines. */
export async function selectStatementSpan(
  db: Db,
  { userId, types, startAt, endAt }: LineFilter,
): Promise<StatementSpan | undefined> {
  const rows = await db.query<Omit<StatementSpan, 'accounts'> & StatementAccount & Row>(
    `select l.id as "listId", l.last_number as "lastNumber", x.total, a.id as "accountId", a.network, a.currency,
       coalesce(o.balance, 0) as opening, coalesce(c.balance, 0) as closing
     from ledger_lists l
     cross join lateral ledger_locate(l, $2::ledger_line_type[], $3::timestamptz, $4::timestamptz, 0) x
     join ledger_accounts a on a.user_id = l.user_id
     left join lateral ledger_balances_before(l.id, array[a.id], coalesce($3::timestamptz, '-infinity'), 0) o on true
     left join lateral ledger_balances_before(l.id, array[a.id], coalesce($4::timestamptz, 'infinity'), 9223372036854775807) c on true
     where l.user_id = $1 and l.is_settled
     order by a.network, a.currency`,
    [userId, types, startAt ?? null, endAt ?? null],
  );
  const [first] = rows;
  return first && { listId: first.listId, lastNumber: first.lastNumber, total: first.total, accounts: rows };
}

/** The last line of a batch: the next batch starts before it. */
export type LineKey = Pick<LineRow, 'transactionMs' | 'number'>;

const statementBatch = `select ${packed} from ledger_newest($1, $2::ledger_line_type[], $3, $4, $5, $6, 0, $7) l`;

/** The next lines of every type of a statement's list, newest first. */
export async function selectStatementBatch(
  db: Db,
  { listId, lastNumber }: StatementSpan,
  {
    before,
    startAt,
    limit,
  }: { before: LineKey | { endAt: Date | undefined }; startAt?: Date; limit: number },
): Promise<LineRow[]> {
  const [at, number] =
    'number' in before
      ? [new Date(before.transactionMs), before.number]
      : [before.endAt ?? 'infinity', 9223372036854775807n];
  const batches = await db.query<PackedLines & Row>(statementBatch, [
    listId,
    lineTypes,
    startAt ?? '-infinity',
    at,
    number,
    lastNumber,
    limit,
  ]);
  // Taken out: the driver's results were seen to keep one another until V8 collects all of its memory.
  return unpackLines(batches.pop()!);
}

export interface MovementQuestion {
  userId: string;
  currency: string;
  startAt?: Date;
  /** Inclusive. */
  endAt?: Date;
}

export async function selectHasMovement(
  db: Db,
  { userId, currency, startAt, endAt }: MovementQuestion,
): Promise<boolean> {
  const [row] = await db.query<{ found: boolean }>(
    `select exists (
       select from ledger_accounts a
       where a.user_id = $1 and a.currency = $2 and exists (
         select from ledger_movements m where m.account_id = a.id
           and m.transaction_at >= coalesce($3, '-infinity'::timestamptz)
           and m.transaction_at <= coalesce($4, 'infinity'::timestamptz))
     ) as found`,
    [userId, currency, startAt, endAt],
  );
  return row!.found;
}
