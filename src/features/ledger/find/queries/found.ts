import type { Db, Row } from '#platform/db/db';
import type { LineType } from '../../lines/line.ts';
import type { LineRow } from '../../lines/line-row.ts';
import { type PackedLines, unpackLines } from '../../lines/line-row.ts';
import { packLines } from '../../lines/queries/columns.ts';

export interface FilterAccount {
  id: bigint;
  network: string;
  currency: string;
}

export async function selectAccounts(db: Db, userId: string): Promise<FilterAccount[]> {
  return db.query<FilterAccount & Row>(
    'select id, network, currency from ledger_accounts where user_id = $1 order by currency, network',
    [userId],
  );
}

/** A filter by what lists are indexed and counted by. */
export interface AccountFilter {
  userId: string;
  types: readonly LineType[];
  asset?: string | undefined;
  network?: string | undefined;
  direction?: 'in' | 'out' | undefined;
  startAt?: Date | undefined;
  endAt?: Date | undefined;
}

export interface PageRequest {
  offset: number;
  limit: number;
  oldestFirst: boolean;
}

/** What matching lines moved of an account. */
export interface AccountSum {
  accountId: bigint;
  sending: number;
  sent: bigint;
  receiving: number;
  received: bigint;
  /** How much of these in conversions. */
  sentByConversion: bigint;
  receivedByConversion: bigint;
}

export interface FoundLines {
  total: number;
  sums: AccountSum[];
  lines: LineRow[];
  /** Every account of the user at that moment. */
  accounts: FilterAccount[];
}

export interface FoundRow extends PackedLines {
  total: bigint | null;
  sums: string | null;
  accounts: string | null;
}

const order = (isOldest: string) =>
  `order by case when ${isOldest} then l.transaction_at end, case when ${isOldest} then l.number end,
     l.transaction_at desc, l.number desc`;

const found = `select f.total, f.sums, f.accounts, p.*
  from ledger_find($1, $2::ledger_line_type[], $3, $4, $5, $6::timestamptz, $7::timestamptz, $8::bigint, $9::bigint,
    $10::boolean) f
  cross join lateral (select ${packLines(order('$10::boolean'))} from unnest(f.lines) l) p`;

/** Any page costs the same; see `ledger_find`. */
export async function selectFound(
  db: Db,
  { userId, types, asset, network, direction, startAt, endAt }: AccountFilter,
  { offset, limit, oldestFirst }: PageRequest,
): Promise<FoundLines> {
  const [row] = await db.query<FoundRow & Row>(found, [
    userId,
    types,
    asset ?? null,
    network ?? null,
    direction ?? null,
    startAt ?? null,
    endAt ?? null,
    offset,
    limit,
    oldestFirst,
  ]);
  return unpackFound(row!);
}

export const unpackFound = (row: FoundRow): FoundLines => ({
  total: Number(row.total ?? 0),
  sums: unpackSums(row.sums ?? ''),
  lines: unpackLines(row),
  accounts: unpackAccounts(row.accounts ?? ''),
});

/** Names of networks and currencies have no blanks in them. */
function unpackAccounts(names: string): FilterAccount[] {
  const all = names.split(' ');
  const accounts: FilterAccount[] = [];
  for (let at = 0; at + 2 < all.length; at += 3) {
    accounts.push({ id: BigInt(all[at]!), network: all[at + 1]!, currency: all[at + 2]! });
  }
  return accounts;
}

function unpackSums(figures: string): AccountSum[] {
  const all = figures.split(' ');
  const sums: AccountSum[] = [];
  for (let at = 0; at + 6 < all.length; at += 7) {
    sums.push({
      accountId: BigInt(all[at]!),
      sending: Number(all[at + 1]),
      sent: BigInt(all[at + 2]!),
      receiving: Number(all[at + 3]),
      received: BigInt(all[at + 4]!),
      sentByConversion: BigInt(all[at + 5]!),
      receivedByConversion: BigInt(all[at + 6]!),
    });
  }
  return sums;
}

const legs = `select ${packLines('order by l.transaction_at desc, l.number desc')} from (
    select s.* from ledger_lists h, unnest($2::text[]) as o (id) cross join lateral (
      select * from ledger_lines s where s.list_id = h.id and s.operation_id = o.id offset 0) s
    where h.user_id = $1 and h.is_settled and s.type = 'swap-bridge') l`;

/** Every leg of some conversions between networks. */
export async function selectLegs(
  db: Db,
  userId: string,
  operationIds: readonly string[],
): Promise<LineRow[]> {
  const [row] = await db.query<PackedLines & Row>(legs, [userId, operationIds]);
  return unpackLines(row!);
}

/** The unsettled withdrawals of a user that were signed as a transaction. */
export async function selectUnsettledOfTransaction(
  db: Db,
  userId: string,
  transactionHash: string,
): Promise<string[]> {
  const rows = await db.query<{ operationId: string }>(
    `select u.operation_id as "operationId" from payout_attempts a
     join payout_slots s on s.network = a.network and s.address = a.address and s.nonce = a.nonce
     join withdrawals w on w.id = s.withdrawal_id and w.user_id = $1
     join ledger_unsettled u on u.withdrawal_id = w.id
     where a.hash = $2 and not a.is_void`,
    [userId, transactionHash],
  );
  return rows.map(({ operationId }) => operationId);
}
