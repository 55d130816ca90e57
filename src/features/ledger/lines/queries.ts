import { batchLoader } from '#platform/db/batch-loader';
import type { Db, Row } from '#platform/db/db';
import { type LineFilter, type LineRow, type LineType, lineTypes } from './line.ts';
import { type JoinedLines, type PackedLines, separator, splitLines, unpackLines } from './unpack-lines.ts';

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

const unit = `'${separator}'`;

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
const oldestFirst = 'order by l.transaction_at, l.number';
/** The lines `l` in this order, as `unpackLines` reads them. */
export const packLines = (order: string) => `array_to_json(array_agg(
    array[l.operation_id, l.unique_hash_id, l.status, l.description, l.purpose, l.user_description] ${order})) as texts,
  ${figures(order)}`;
const figures = (order: string) =>
  `string_agg(concat(${figureColumns.join(`, ' ', `)}), ' ' ${order}) as figures`;
const packed = packLines(newestFirst);

/** A tenth less work for the database than JSON, and half as much for us. `splitLines` reads it. */
const joinLines = (
  order: string,
) => `string_agg(concat(l.operation_id, ${unit}, l.unique_hash_id, ${unit}, l.status, ${unit},
    l.description, ${unit}, l.purpose, ${unit}, '=' || l.user_description), ${unit} ${order}) as texts,
  ${figures(order)}`;

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

const recordedLines = `select r.place, ${columns('l')}, coalesce(c.network, s.network) as network, s.currency as "sentCurrency",
     c.currency as "receivedCurrency", b.balance as "runningBalance"
   from jsonb_array_elements($1::jsonb) with ordinality as r (one, place)
   join ledger_lists h on h.user_id = (r.one->>'user_id')::uuid and h.is_settled
   cross join lateral (
     select * from ledger_lines where list_id = h.id and number = (r.one->>'number')::bigint
     union all
     select * from ledger_lines where list_id = h.id and unique_hash_id = r.one->>'unique_hash_id') l
   left join ledger_accounts s on s.id = l.sent_account_id
   left join ledger_accounts c on c.id = l.received_account_id
   cross join lateral ledger_balances_before(l.list_id, array[coalesce(c.id, s.id)], l.transaction_at, l.number + 1) b`;

/** Lines by their number or their place on chain, with the place in the list of what was wanted, from 1. */
export async function selectRecordedLines(
  db: Db,
  wanted: readonly object[],
): Promise<(PageRow & { place: bigint })[]> {
  return db.query<PageRow & { place: bigint } & Row>(recordedLines, [JSON.stringify(wanted)]);
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
  /** The hash of the line with that number; null in a ledger without lines. */
  lastHash: Buffer | null;
  total: bigint;
  accounts: StatementAccount[];
}

/** The head of a statement, in one snapshot; undefined for a user without lines. */
export async function selectStatementSpan(
  db: Db,
  { userId, types, startAt, endAt }: LineFilter,
): Promise<StatementSpan | undefined> {
  const rows = await db.query<Omit<StatementSpan, 'accounts'> & StatementAccount & Row>(
    `select l.id as "listId", l.last_number as "lastNumber", l.last_hash as "lastHash", x.total, a.id as "accountId",
       a.network, a.currency, coalesce(o.balance, 0) as opening, coalesce(c.balance, 0) as closing
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
  if (!first) return undefined;
  const { listId, lastNumber, lastHash, total } = first;
  return { listId, lastNumber, lastHash, total, accounts: rows };
}

/** What the lines of a statement brought to an account and took from it. */
export interface StatementTotals {
  accountId: bigint;
  moneyIn: bigint;
  moneyOut: bigint;
  /** How many zeros every amount ends with, in base units. */
  zeros: number;
}

const legsOf = (side: 'received' | 'sent', sign: '' | '-') =>
  `select l.${side}_account_id as account_id, ${sign}l.${side}_amount as amount from ledger_lines l
   where l.list_id = $1 and l.type = any($2::ledger_line_type[]) and l.transaction_at >= $3 and l.transaction_at <= $4
     and l.number <= $5 and l.${side}_account_id is not null`;

const zerosOf = (amount: string) => `length(${amount}::text) - length(rtrim(${amount}::text, '0'))`;

/** Reads every line of the statement once, so only formats that show totals call it. */
export async function selectStatementTotals(
  db: Db,
  { listId, lastNumber }: StatementSpan,
  { types, startAt, endAt }: LineFilter,
): Promise<StatementTotals[]> {
  return db.query<StatementTotals & Row>(
    `select m.account_id as "accountId", coalesce(sum(m.amount) filter (where m.amount > 0), 0) as "moneyIn",
       coalesce(-sum(m.amount) filter (where m.amount < 0), 0) as "moneyOut", min(${zerosOf('m.amount')}) as zeros
     from (${legsOf('received', '')} union all ${legsOf('sent', '-')}) m group by m.account_id`,
    [listId, types, startAt ?? '-infinity', endAt ?? 'infinity', lastNumber],
  );
}

/** An account at both ends of a period, without lines that were posted after a cut. */
export interface CutAccount {
  /** Of the last line before the cut; null if the ledger has no such line. */
  hash: Buffer | null;
  network: string;
  currency: string;
  opening: bigint;
  closing: bigint;
}

const laterLegs = (side: 'received' | 'sent', sign: '' | '-') =>
  `select l.${side}_account_id as account_id, ${sign}l.${side}_amount as amount, l.transaction_at from ledger_lines l
   where l.list_id = (select id from list) and l.number > $4 and l.${side}_account_id is not null`;

/** Reads the lines that were posted after the cut, which is a range of their primary key. */
export async function selectAccountsAtCut(
  db: Db,
  { userId, startAt, endAt, lastNumber }: Omit<LineFilter, 'types'> & { lastNumber: bigint },
): Promise<CutAccount[]> {
  return db.query<CutAccount & Row>(
    `with list as (select id from ledger_lists where user_id = $1 and is_settled),
     later as (
       select m.account_id, sum(m.amount) filter (where m.transaction_at < coalesce($2::timestamptz, '-infinity')) as before_start,
         sum(m.amount) filter (where m.transaction_at <= coalesce($3::timestamptz, 'infinity')) as before_end
       from (${laterLegs('received', '')} union all ${laterLegs('sent', '-')}) m group by m.account_id)
     select h.hash, a.network, a.currency, coalesce(o.balance, 0) - coalesce(t.before_start, 0) as opening,
       coalesce(c.balance, 0) - coalesce(t.before_end, 0) as closing
     from list
     join ledger_accounts a on a.user_id = $1
     left join ledger_lines h on h.list_id = list.id and h.number = $4
     left join later t on t.account_id = a.id
     left join lateral ledger_balances_before(list.id, array[a.id], coalesce($2::timestamptz, '-infinity'), 0) o on true
     left join lateral ledger_balances_before(list.id, array[a.id], coalesce($3::timestamptz, 'infinity'), 9223372036854775807) c on true
     order by a.network, a.currency`,
    [userId, startAt ?? null, endAt ?? null, lastNumber],
  );
}

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
