import type { Db, Row } from '../../platform/db.ts';
import { type LineFilter, type LineType, lineTypes } from './line.ts';

/** A stored line with the names of its assets. */
export interface LineRow {
  type: LineType;
  /** ISO 8601, as are all instants here. */
  transactionDate: string;
  number: bigint;
  operationId: string;
  uniqueHashId: string;
  sentAccountId: bigint | null;
  sentAmount: bigint | null;
  receivedAccountId: bigint | null;
  receivedAmount: bigint | null;
  status: string;
  description: string;
  purpose: string;
  userDescription: string | null;
  executedAt: string | null;
}

const iso = (column: string) => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

const columns = (l: string) => `${l}.type, ${iso(`${l}.transaction_at`)} as "transactionDate", ${l}.number,
  ${l}.operation_id as "operationId", ${l}.unique_hash_id as "uniqueHashId", ${l}.sent_account_id as "sentAccountId",
  ${l}.sent_amount as "sentAmount", ${l}.received_account_id as "receivedAccountId", ${l}.received_amount as "receivedAmount",
  ${l}.status, ${l}.description, ${l}.purpose, ${l}.user_description as "userDescription", ${iso(`${l}.executed_at`)} as "executedAt"`;

export interface PageRow extends LineRow {
  network: string;
  sentCurrency: string | null;
  receivedCurrency: string | null;
  runningBalance: bigint;
}

/** A page and the exact number of lines that its query can serve, of one moment; `ledger_page` of migration 0003 says how. */
export async function selectLinePage(
  db: Db,
  { userId, types, startAt, endAt }: LineFilter,
  { offset, limit }: { offset: number; limit: number },
): Promise<{ total: number; lines: PageRow[] }> {
  const rows = await db.query<PageRow & { total: bigint } & Row>(
    `select p.total, ${columns('(p.line)')}, coalesce(r.network, s.network) as network, s.currency as "sentCurrency",
       r.currency as "receivedCurrency", p.balance as "runningBalance"
     from ledger_page($1, $2::ledger_line_type[], $3::timestamptz, $4::timestamptz, $5::bigint, $6::bigint) p
     left join ledger_accounts s on s.id = (p.line).sent_account_id
     left join ledger_accounts r on r.id = (p.line).received_account_id
     order by (p.line).transaction_at desc, (p.line).number desc`,
    [userId, types, startAt ?? null, endAt ?? null, offset, limit],
  );
  return { total: Number(rows[0]?.total ?? 0), lines: rows.filter(({ number }) => number !== null) };
}

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

/** What a statement begins with, all of one moment; undefined for a user without any line. */
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

/** Where a batch ended: the next begins before it. */
export type LineKey = Pick<LineRow, 'transactionDate' | 'number'>;

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
      ? [before.transactionDate, before.number]
      : [before.endAt ?? 'infinity', 9223372036854775807n];
  return db.query<LineRow & Row>(
    `select ${columns('l')} from ledger_newest($1, $2::ledger_line_type[], $3, $4, $5, $6, $7) l`,
    [listId, lineTypes, startAt ?? '-infinity', at, number, lastNumber, limit],
  );
}
