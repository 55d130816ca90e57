import { batchLoader } from '#platform/db/batch-loader';
import type { Db, Row } from '#platform/db/db';
import { type LineFilter, type LineType, lineTypes } from '../line.ts';
import type { LineRow } from '../line-row.ts';
import { type PackedLines, unpackLines } from '../line-row.ts';
import { columns, newestFirst, packLines } from './columns.ts';

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

const packed = packLines(newestFirst);

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

/** Every row has the total; an empty page is one row with the total only. */
const counted = <Line extends LineRow>(rows: (Line & { total: bigint })[]): Counted<Line> => ({
  total: Number(rows[0]?.total ?? 0),
  lines: rows.filter(({ number }) => number !== null),
});
