import type { Db, Row } from '#platform/db/db';
import type { CardWindow, Slice } from './page.ts';
import {
  type CardTransactionStatus,
  selectTransactionsById,
  type UserTransactionView,
} from './transactions.ts';

/** Which of a user's transactions: of one card or account, or of all; in these statuses. */
export interface TransactionSelection extends CardWindow {
  userId: string;
  cardId?: string;
  cardIssuerUserId?: string;
  statuses: readonly CardTransactionStatus[];
}

/** Sums in US cents, which is the only currency of card transactions. */
export interface TransactionTotal {
  status: CardTransactionStatus;
  count: number;
  purchasesMinor: bigint;
  refundsMinor: bigint;
}

interface TotalRow {
  status: CardTransactionStatus;
  count: bigint | number;
  purchases: bigint | string;
  refunds: bigint | string;
}

const toTotal = ({ status, count, purchases, refunds }: TotalRow): TransactionTotal => ({
  status,
  count: Number(count),
  purchasesMinor: BigInt(purchases),
  refundsMinor: BigInt(refunds),
});

const cardsOf = `cards c where c.user_id = $1 and ($2::text is null or c.id = $2)
  and ($3::text is null or c.card_issuer_user_id = $3)`;
const inWindow = `t.created_at between coalesce($5::timestamptz, '-infinity') and coalesce($6::timestamptz, 'infinity')`;

const selectionOf = ({
  userId,
  cardId,
  cardIssuerUserId,
  statuses,
  startAt,
  endAt,
}: TransactionSelection) => [
  userId,
  cardId ?? null,
  cardIssuerUserId ?? null,
  statuses,
  startAt ?? null,
  endAt ?? null,
];

/** From the index alone, a range for each card and status: 300,000 rows in 60 to 130 ms. */
export async function selectTotals(db: Db, selection: TransactionSelection): Promise<TransactionTotal[]> {
  const rows = await db.query<TotalRow & Row>(
    `select s.status, sum(t.count) as count, sum(t.purchases)::bigint as purchases, sum(t.refunds)::bigint as refunds
     from (select c.id from ${cardsOf}) c cross join unnest($4::card_transaction_status[]) as s (status) cross join lateral (
       select count(*) as count, coalesce(sum(t.amount) filter (where t.type = 'purchase'), 0) as purchases,
         coalesce(sum(t.amount) filter (where t.type = 'refund'), 0) as refunds
       from card_transactions t where t.card_id = c.id and t.status = s.status and ${inWindow}) t
     where t.count > 0 group by s.status order by s.status`,
    selectionOf(selection),
  );
  return rows.map(toTotal);
}

/** Each card and status is a range of the index and has its own limit. */
export async function selectSelected(
  db: Db,
  selection: TransactionSelection,
  { offset, limit }: Slice,
): Promise<UserTransactionView[]> {
  const rows = await db.query<{ id: string }>(
    `select t.id from (select c.id from ${cardsOf}) c cross join unnest($4::card_transaction_status[]) as s (status)
     cross join lateral (
       select t.id, t.created_at, t.number from card_transactions t
       where t.card_id = c.id and t.status = s.status and ${inWindow}
       order by t.created_at desc, t.number desc limit $7::bigint + $8::bigint) t
     order by t.created_at desc, t.number desc offset $7::bigint limit $8::bigint`,
    [...selectionOf(selection), offset, limit],
  );
  return selectTransactionsById(
    db,
    rows.map(({ id }) => id),
  );
}

export interface MerchantSearch {
  merchant: string;
  /** How many transactions the search may read. */
  searchedMax: number;
}

export interface FoundTransactions {
  totals: TransactionTotal[];
  transactions: UserTransactionView[];
  /** Only transactions from this instant on were searched. */
  searchedFrom: Date | null;
}

/** The same of those whose merchant's name contains a text; `card_find` says how. */
export async function selectWithMerchant(
  db: Db,
  { merchant, searchedMax, ...selection }: TransactionSelection & MerchantSearch,
  { offset, limit }: Slice,
): Promise<FoundTransactions> {
  const [row] = await db.query<{ searchedFrom: Date | null; totals: TotalRow[]; ids: string[] }>(
    `with found as materialized (select * from card_find($1, $7, $5::timestamptz, $6::timestamptz, $10::integer)),
     kept as materialized (
       select f.* from found f where f.status = any ($4::card_transaction_status[]) and ($2::text is null or f.card_id = $2)
         and ($3::text is null or f.card_id in (select c.id from cards c where c.user_id = $1 and c.card_issuer_user_id = $3)))
     select (select max(f.searched_from) from found f) as "searchedFrom",
       coalesce((select json_agg(t) from (
         select k.status, count(*) as count, coalesce(sum(k.amount) filter (where k.type = 'purchase'), 0)::text as purchases,
           coalesce(sum(k.amount) filter (where k.type = 'refund'), 0)::text as refunds
         from kept k group by k.status order by k.status) t), '[]') as totals,
       array(select k.id from kept k order by k.created_at desc, k.number desc offset $8::bigint limit $9::bigint) as ids`,
    [...selectionOf(selection), merchant, offset, limit, searchedMax],
  );
  const { searchedFrom, totals, ids } = row!;
  return { searchedFrom, totals: totals.map(toTotal), transactions: await selectTransactionsById(db, ids) };
}
