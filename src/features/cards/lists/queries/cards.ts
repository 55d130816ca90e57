import type { CardStatus, SpendingInterval } from '#adapters/issuer';
import { batchLoader } from '#platform/db/batch-loader';
import type { Db, Row } from '#platform/db/db';
import type { Slice } from './page.ts';

/** A card as it was at an instant. Amounts are US cents. */
export interface CardView {
  id: string;
  cardIssuerUserId: string;
  name: string;
  nickname: string | null;
  lastFourDigits: string;
  status: CardStatus;
  spendingLimitMinor: bigint;
  spendingInterval: SpendingInterval;
  /** Of the limit, what is left in the interval that was running: never below zero. */
  availableLimitMinor: bigint;
  createdAt: Date;
}

/**
 * A card with what was spent in the running interval; a refund of what was bought before may make that less
 * than nothing.
 */
export interface CardState extends Omit<CardView, 'availableLimitMinor'> {
  spentMinor: bigint;
}

interface CardsFilter {
  userId: string;
  asOf: Date | undefined;
  now: Date;
  statuses: readonly CardStatus[];
}

/**
 * Cards as they were, and what was spent with those of the page. Weeks begin on Monday, all intervals in UTC.
 * What was spent is by the states that transactions have now: those before are not kept.
 */
export async function selectCardsAsOf(
  db: Db,
  { userId, asOf, now, statuses }: CardsFilter,
  { offset, limit }: Slice,
): Promise<{ total: number; changedAt: Date | null; cards: CardState[] }> {
  const rows = await db.query<CardState & { total: bigint; changedAt: Date | null } & Row>(
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

/** What an owner needs to recognise a card. */
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

// Both tables are read by the user, so that one plan is good for users with few cards and with many. The page
// is one value, because a server takes longer to split rows and columns than to parse it. Each array comes
// from a separate select: if PostgreSQL knows their length, it makes a new plan for each call.
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
