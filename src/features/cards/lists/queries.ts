import type { CardStatus } from '#adapters/issuer';
import { batchLoader } from '#platform/db/batch-loader';
import type { Db, Row } from '#platform/db/db';
import type {
  CardTransactionStatus,
  CardTransactionView,
  TransactionFilter,
  UserTransactionView,
} from './list-card-transactions.ts';
import type { CardView } from './list-cards.ts';
import type { MovementView } from './list-movements.ts';
import type { AccountMovements } from './list-movements-by-account.ts';
import type { CardWindow } from './window.ts';

interface Slice {
  offset: number;
  limit: number;
}

const transactionColumns = `t.id, t.type, t.status, t.amount as "amountMinor", t.currency, t.merchant_name as "merchantName",
  t.description, t.merchant_category as "merchantCategory", t.merchant_country as "merchantCountry",
  t.local_amount as "localAmount", t.local_currency as "localCurrency", t.created_at as "createdAt",
  t.authorized_at as "authorizedAt", t.settled_at as "settledAt", t.decline_reason as "declineReason"`;

const cardColumns = `c.id as "cardId", c.name as "cardName", c.nickname as "cardNickname", c.last_four_digits as "lastFourDigits"`;

interface TransactionRow extends CardTransactionView {
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
    transactions: rows
      .filter(({ id }) => id !== null)
      .map(({ total, cardId, cardName, cardNickname, lastFourDigits, ...transaction }) => ({
        ...transaction,
        card: { id: cardId, name: cardName, nickname: cardNickname, lastFourDigits },
      })),
  };
}

export async function cardExists(
  db: Db,
  { userId, cardId, cardIssuerUserId }: { userId: string; cardId: string; cardIssuerUserId: string },
): Promise<boolean> {
  const rows = await db.query(
    'select 1 from cards where id = $1 and user_id = $2 and card_issuer_user_id = $3',
    [cardId, userId, cardIssuerUserId],
  );
  return rows.length > 0;
}

/** Each status is a range of the index and stops by itself. */
export function selectTransactionsOfCard(
  db: Db,
  { cardId, statuses }: { cardId: string; statuses: readonly CardTransactionStatus[] },
  { offset, limit }: Slice,
): Promise<CardTransactionView[]> {
  return db.query<CardTransactionView & Row>(
    `select ${transactionColumns}
     from unnest($2::card_transaction_status[]) as s (status), lateral (
       select * from card_transactions t where t.card_id = $1 and t.status = s.status
       order by t.created_at desc, t.number desc limit $3::bigint + $4::bigint) t
     order by t.created_at desc, t.number desc offset $3::bigint limit $4::bigint`,
    [cardId, statuses, offset, limit],
  );
}

/** A card with what was spent in the running interval; a refund of what was bought before may make that less than nothing. */
export interface CardRow extends Omit<CardView, 'availableLimitMinor'> {
  spentMinor: bigint;
}

interface CardsFilter {
  userId: string;
  asOf: Date | undefined;
  now: Date;
  statuses: readonly CardStatus[];
}

/**
 * Cards as they were, and what was spent with those of the page. Weeks begin on Monday, all intervals in UTC. What was spent is by
 * the states that transactions have now: those before are not kept.
 */
export async function selectCards(
  db: Db,
  { userId, asOf, now, statuses }: CardsFilter,
  { offset, limit }: Slice,
): Promise<{ total: number; changedAt: Date | null; cards: CardRow[] }> {
  const rows = await db.query<CardRow & { total: bigint; changedAt: Date | null } & Row>(
    `with states as materialized (
       select c.id, c.card_issuer_user_id, c.name, c.last_four_digits, c.created_at, v.nickname, v.status, v.spending_limit,
         v.spending_interval, v.valid_at
       from cards c cross join lateral (
         select c.nickname, c.status, c.spending_limit, c.spending_interval, c.updated_at as valid_at where $2::timestamptz is null
         union all
         (select v.nickname, v.status, v.spending_limit, v.spending_interval, v.valid_at from card_versions v
          where v.card_id = c.id and v.valid_at <= $2::timestamptz
          order by v.version desc limit 1)
       ) v
       where c.user_id = $1 and c.created_at <= coalesce($2::timestamptz, 'infinity') and v.status = any ($4::card_status[])
     )
     select (select count(*) from states) as total, (select max(valid_at) from states) as "changedAt", p.id, p.card_issuer_user_id as "cardIssuerUserId", p.name, p.nickname,
       p.last_four_digits as "lastFourDigits", p.status, p.spending_limit as "spendingLimitMinor",
       p.spending_interval as "spendingInterval", p.created_at as "createdAt", coalesce(s.spent, 0) as "spentMinor"
     from (values (1)) as always
     left join lateral (
       select * from states order by created_at desc, id desc offset $5::bigint limit $6::bigint) p on true
     left join lateral (
       select sum(case t.type when 'refund' then -t.amount else t.amount end) as spent
       from card_transactions t
       where t.card_id = p.id and t.status in ('pending', 'settled') and t.created_at <= coalesce($2::timestamptz, 'infinity')
         and t.created_at >= case p.spending_interval
           when 'all-time' then '-infinity'
           else date_trunc(case p.spending_interval when 'daily' then 'day' when 'weekly' then 'week' when 'monthly' then 'month'
             else 'year' end, coalesce($2::timestamptz, $3::timestamptz), 'UTC') end
     ) s on true
     order by p.created_at desc, p.id desc`,
    [userId, asOf ?? null, now, statuses, offset, limit],
  );
  return {
    total: Number(rows[0]?.total ?? 0),
    changedAt: rows[0]?.changedAt ?? null,
    cards: rows.filter(({ id }) => id !== null).map(({ total, changedAt, ...card }) => card),
  };
}

/** A card by what its owner tells it from others. */
export interface NamedCard {
  id: string;
  cardIssuerUserId: string;
  nickname: string | null;
  lastFourDigits: string;
  status: CardStatus;
}

interface NamedCardsFilter {
  userId: string;
  cardId: string | undefined;
  cardIssuerUserId: string | undefined;
  statuses: readonly CardStatus[];
}

interface CardsOfUser {
  total: number;
  cards: NamedCard[];
  collateralMinor: bigint;
  isAccountOwn: boolean;
}

// Both tables are read by the user, so that a plan for whoever has few cards is good for whoever has many. The page is one value: to
// take rows and columns apart takes a server longer than to parse it. The arrays are taken from selects of their own: with their
// length in sight, PostgreSQL makes a new plan for each call.
const cardsWithCollateral = `select found.*
   from unnest((select $1::uuid[]), (select $2::text[]), (select $3::text[]), (select $4::text[]), (select $5::bigint[]),
     (select $6::bigint[])) with ordinality as q (user_id, card_id, account_id, statuses, skip, size, place)
   cross join lateral (
     with own as materialized (
       select c.id, c.card_issuer_user_id, c.nickname, c.last_four_digits, c.status, c.created_at
       from cards c
       where c.user_id = q.user_id and c.status = any (q.statuses::card_status[]) and (q.card_id is null or c.id = q.card_id)
         and (q.account_id is null or c.card_issuer_user_id = q.account_id)
     )
     select coalesce(sum(a.collateral), 0) as "collateralMinor", coalesce(bool_or(a.id = q.account_id), false) as "isAccountOwn",
       (select count(*)::integer from own) as total,
       coalesce((select json_agg(p) from (
         select id, card_issuer_user_id as "cardIssuerUserId", nickname, last_four_digits as "lastFourDigits", status
         from own order by created_at desc, id desc offset q.skip limit q.size) p), '[]') as cards
     from card_issuer_users a where a.user_id = q.user_id
   ) found
   order by q.place`;

export const selectCardsWithCollateral = batchLoader(
  async (db: Db, asked: (NamedCardsFilter & Slice)[]): Promise<CardsOfUser[]> =>
    db.query<CardsOfUser & Row>(cardsWithCollateral, [
      asked.map(({ userId }) => userId),
      asked.map(({ cardId }) => cardId),
      asked.map(({ cardIssuerUserId }) => cardIssuerUserId),
      asked.map(({ statuses }) => `{${statuses}}`),
      asked.map(({ offset }) => offset),
      asked.map(({ limit }) => limit),
    ]),
);

const movementColumns = `m.id, m.card_issuer_user_id as "cardIssuerUserId", m.action, m.type, m.status, m.amount as "amountMinor",
  m.previous_balance as "previousBalanceMinor", m.running_balance as "runningBalanceMinor", m.description,
  m.created_at as "createdAt"`;

export async function selectMovementPage(
  db: Db,
  { userId, startAt, endAt }: { userId: string } & CardWindow,
  { offset, limit }: Slice,
): Promise<{ total: number; movements: MovementView[] }> {
  const rows = await db.query<MovementView & { total: bigint } & Row>(
    `select s.total, ${movementColumns}
     from card_locate($1, 'movements', null, $2::timestamptz, $3::timestamptz, $4::bigint) s
     left join lateral (
       select * from card_movements m
       where m.user_id = $1 and (m.created_at, m.number) < (s.upto_at, s.upto_number)
         and m.created_at >= coalesce($2::timestamptz, '-infinity')
       order by m.created_at desc, m.number desc limit $5::bigint) m on true
     order by m.created_at desc, m.number desc`,
    [userId, startAt ?? null, endAt ?? null, offset, limit],
  );
  return {
    total: Number(rows[0]?.total ?? 0),
    movements: rows.filter(({ id }) => id !== null).map(({ total, ...movement }) => movement),
  };
}

export async function selectMovementsByAccount(
  db: Db,
  { userId, startAt, endAt }: { userId: string } & CardWindow,
  { offset, limit }: Slice,
): Promise<AccountMovements[]> {
  const rows = await db.query<MovementView & { total: bigint; accountId: string } & Row>(
    `select a.id as "accountId", s.total, ${movementColumns}
     from card_issuer_users a
     cross join lateral card_locate(a.user_id, 'movements', a.id, $2::timestamptz, $3::timestamptz, $4::bigint) s
     left join lateral (
       select * from card_movements m
       where m.card_issuer_user_id = a.id and (m.created_at, m.number) < (s.upto_at, s.upto_number)
         and m.created_at >= coalesce($2::timestamptz, '-infinity')
       order by m.created_at desc, m.number desc limit $5::bigint) m on true
     where a.user_id = $1
     order by a.created_at, a.id, m.created_at desc, m.number desc`,
    [userId, startAt ?? null, endAt ?? null, offset, limit],
  );
  return [...Map.groupBy(rows, ({ accountId }) => accountId)].map(([cardIssuerUserId, ofAccount]) => ({
    cardIssuerUserId,
    total: Number(ofAccount[0]!.total),
    movements: ofAccount.filter(({ id }) => id !== null).map(({ total, accountId, ...movement }) => movement),
  }));
}
