import type { Db, Row } from '#platform/db/db';
import type { CardWindow, Slice } from './page.ts';

/** What was paid with a card, or given back to it. */
export interface CardTransactionView {
  id: string;
  type: 'purchase' | 'refund';
  status: CardTransactionStatus;
  /** US cents, above zero: a refund gives them back. */
  amountMinor: bigint;
  currency: string;
  merchantName: string;
  description: string | null;
  merchantCategory: string | null;
  merchantCountry: string | null;
  /** In the merchant's currency, with as many digits as that has. */
  localAmount: string | null;
  localCurrency: string | null;
  createdAt: Date;
  authorizedAt: Date | null;
  settledAt: Date | null;
  declineReason: string | null;
}

export const cardTransactionStatuses = ['pending', 'settled', 'declined', 'reversed'] as const;

export type CardTransactionStatus = (typeof cardTransactionStatuses)[number];

/** With the card as it is now. */
export interface UserTransactionView extends CardTransactionView {
  card: { id: string; name: string; nickname: string | null; lastFourDigits: string };
}

export interface TransactionFilter extends CardWindow {
  userId: string;
  /** Somewhere in the merchant's name or the description, whatever the case and the accents. */
  text?: string;
}

export const transactionColumns = `t.id, t.type, t.status, t.amount as "amountMinor", t.currency, t.merchant_name as "merchantName",
  t.description, t.merchant_category as "merchantCategory", t.merchant_country as "merchantCountry",
  t.local_amount as "localAmount", t.local_currency as "localCurrency", t.created_at as "createdAt",
  t.authorized_at as "authorizedAt", t.settled_at as "settledAt", t.decline_reason as "declineReason"`;

export const cardColumns = `c.id as "cardId", c.name as "cardName", c.nickname as "cardNickname", c.last_four_digits as "lastFourDigits"`;

export interface TransactionRow extends CardTransactionView {
  /** Alone in a row where the page is empty. */
  total: bigint;
  cardId: string;
  cardName: string;
  cardNickname: string | null;
  lastFourDigits: string;
}

/** A page and the exact number of transactions, of one moment; `card_locate` says how. */
export async function selectTransactionPage(
  db: Db,
  { userId, startAt, endAt }: TransactionFilter,
  { offset, limit }: Slice,
): Promise<{ total: number; transactions: UserTransactionView[] }> {
  const rows = await db.query<TransactionRow & Row>(
    `select s.total, ${transactionColumns}, ${cardColumns}
     from card_locate($1, 'transactions', null, $2::timestamptz, $3::timestamptz, $4::bigint) s
     left join lateral (
       select * from card_transactions t
       where t.list_id = s.list_id and (t.created_at, t.number) < (s.upto_at, s.upto_number)
         and t.created_at >= coalesce($2::timestamptz, '-infinity')
       order by t.created_at desc, t.number desc limit $5::bigint) t on true
     left join cards c on c.id = t.card_id
     order by t.created_at desc, t.number desc`,
    [userId, startAt ?? null, endAt ?? null, offset, limit],
  );
  return toTransactionPage(rows);
}

/** The same of those with a text, by `card_search`. */
export async function selectTransactionsWithText(
  db: Db,
  { userId, text, startAt, endAt }: TransactionFilter & { text: string },
  { offset, limit }: Slice,
): Promise<{ total: number; transactions: UserTransactionView[] }> {
  const rows = await db.query<TransactionRow & Row>(
    `select s.total, ${transactionColumns}, ${cardColumns}
     from card_search($1, $2, $3::timestamptz, $4::timestamptz, $5::bigint, $6::bigint) s
     left join card_transactions t on t.id = s.id
     left join cards c on c.id = t.card_id
     order by t.created_at desc, t.number desc`,
    [userId, text, startAt ?? null, endAt ?? null, offset, limit],
  );
  return toTransactionPage(rows);
}

function toTransactionPage(rows: readonly TransactionRow[]) {
  return {
    total: Number(rows[0]?.total ?? 0),
    transactions: toTransactions(rows.filter(({ id }) => id !== null)),
  };
}

export const toTransactions = (rows: readonly TransactionRow[]): UserTransactionView[] =>
  rows.map(({ total, cardId, cardName, cardNickname, lastFourDigits, ...transaction }) => ({
    ...transaction,
    card: { id: cardId, name: cardName, nickname: cardNickname, lastFourDigits },
  }));

/** In the order of the ids. */
export async function selectTransactionsById(db: Db, ids: readonly string[]): Promise<UserTransactionView[]> {
  if (ids.length === 0) return [];
  const rows = await db.query<TransactionRow & Row>(
    `select 0::bigint as total, ${transactionColumns}, ${cardColumns}
     from unnest($1::text[]) with ordinality as k (id, place) join card_transactions t on t.id = k.id
     join cards c on c.id = t.card_id order by k.place`,
    [ids],
  );
  return toTransactionPage(rows).transactions;
}

/** The account of a user's card; undefined if the user has no such card. */
export async function selectAccountOfCard(
  db: Db,
  { userId, cardId }: { userId: string; cardId: string },
): Promise<string | undefined> {
  const [row] = await db.query<{ id: string }>(
    'select card_issuer_user_id as id from cards where id = $1 and user_id = $2',
    [cardId, userId],
  );
  return row?.id;
}
