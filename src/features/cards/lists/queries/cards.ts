import type { CardKind, CardStatus, SpendingInterval } from '#adapters/issuer';
import { batchLoader } from '#platform/db/batch-loader';
import type { Db, Row } from '#platform/db/db';
import {
  type AccountFunds,
  type AccountTexts,
  accountsOf,
  spentIn,
  statusReasonOf,
  statusSince,
  toAccountFunds,
} from './card-facts.ts';
import type { Slice } from './page.ts';

/** What an owner needs to recognise a card, and what state it is in. */
export interface NamedCard {
  id: string;
  cardIssuerUserId: string;
  nickname: string | null;
  lastFourDigits: string;
  kind: CardKind;
  status: CardStatus;
  statusReason: string | null;
  statusChangedAt: Date;
}

/** Amounts are US cents. */
interface Funds {
  spendingLimitMinor: bigint;
  /**
   * In the running interval; a refund of what was bought before may make that less than nothing. Of a card
   * that is not active, `getUserCards` does not ask.
   */
  spentMinor: bigint;
  /** Of the card's account. */
  collateralMinor: bigint;
}

/** A card as it was at an instant, with what may be spent with it. */
export interface CardState extends NamedCard, Funds {
  name: string;
  spendingInterval: SpendingInterval;
  createdAt: Date;
  /** As it is now. */
  currentNickname: string | null;
}

/** What the history shows of a card. */
export type ShownCard = Pick<
  CardState,
  'id' | 'nickname' | 'lastFourDigits' | 'status' | 'spendingLimitMinor' | 'spendingInterval'
>;

interface CardsFilter {
  userId: string;
  asOf: Date | undefined;
  now: Date;
  statuses: readonly CardStatus[];
}

/** Cards as they were, what was spent with those of the page, and the collateral of their accounts then. */
export async function selectCardsAsOf(
  db: Db,
  { userId, asOf, now, statuses }: CardsFilter,
  { offset, limit }: Slice,
): Promise<{ total: number; changedAt: Date | null; cards: CardState[] }> {
  const spent = spentIn({
    card: 'p',
    // Of a later instant than now, such as the end of this month, the interval that runs now.
    at: 'least($2::timestamptz, $3::timestamptz)',
    upto: `coalesce($2::timestamptz, 'infinity')`,
  });
  const rows = await db.query<CardState & { total: bigint; changedAt: Date | null } & Row>(
    `with states as materialized (
       select c.id, c.card_issuer_user_id, c.name, c.last_four_digits, c.created_at, c.kind, c.nickname as current_nickname,
         v.version, v.nickname, v.status, v.spending_limit, v.spending_interval, v.valid_at
       from cards c cross join lateral (
         select c.version, c.nickname, c.status, c.spending_limit, c.spending_interval, c.updated_at as valid_at
         where $2::timestamptz is null
         union all
         (select v.version, v.nickname, v.status, v.spending_limit, v.spending_interval, v.valid_at from card_versions v
          where v.card_id = c.id and v.valid_at <= $2::timestamptz
          order by v.version desc limit 1)
       ) v
       where c.user_id = $1 and c.created_at <= coalesce($2::timestamptz, 'infinity') and v.status = any ($4::card_status[])
     )
     select (select count(*) from states) as total, (select max(valid_at) from states) as "changedAt", p.id,
       p.card_issuer_user_id as "cardIssuerUserId", p.name, p.nickname, p.current_nickname as "currentNickname",
       p.last_four_digits as "lastFourDigits", coalesce(p.kind, 'virtual') as kind, p.status,
       ${statusReasonOf('p')} as "statusReason", ${statusSince('p')} as "statusChangedAt",
       p.spending_limit as "spendingLimitMinor", p.spending_interval as "spendingInterval", p.created_at as "createdAt",
       ${spent} as "spentMinor",
       case when $2::timestamptz is null then a.collateral else coalesce((
         select m.running_balance from card_movements m where m.card_issuer_user_id = a.id and m.created_at <= $2::timestamptz
         order by m.created_at desc, m.number desc limit 1), 0) end as "collateralMinor"
     from (values (1)) as always
     left join lateral (
       select * from states order by created_at desc, id desc offset $5::bigint limit $6::bigint) p on true
     left join card_issuer_users a on a.id = p.card_issuer_user_id
     order by p.created_at desc, p.id desc`,
    [userId, asOf ?? null, now, statuses, offset, limit],
  );
  return {
    total: Number(rows[0]?.total ?? 0),
    changedAt: rows[0]?.changedAt ?? null,
    cards: rows.filter(({ id }) => id !== null).map(({ total, changedAt, ...card }) => card),
  };
}

/** Oldest first. */
export async function selectAccountFunds(db: Db, userId: string): Promise<AccountFunds[]> {
  const [row] = await db.query<{ accounts: AccountTexts[] }>(`select ${accountsOf('$1')} as accounts`, [
    userId,
  ]);
  return row!.accounts.map(toAccountFunds);
}

interface NamedCardsFilter {
  userId: string;
  cardId: string | undefined;
  cardIssuerUserId: string | undefined;
  statuses: readonly CardStatus[];
  now: Date;
}

export interface CardsOfUser {
  total: number;
  cards: (NamedCard & Funds)[];
  accounts: AccountFunds[];
}

// Both tables are read by the user, so that one plan is good for users with few cards and with many. The page
// is one value, so the driver has no rows and columns to split (`npm run bench -- mcp` compares the call with
// a bare select). Each array comes from a separate select: if PostgreSQL knows their length, it makes a new
// plan for each call.
const cardsWithFunds = `select found.*
   from unnest((select $1::uuid[]), (select $2::text[]), (select $3::text[]), (select $4::text[]), (select $5::bigint[]),
     (select $6::bigint[]), (select $7::timestamptz[]))
     with ordinality as q (user_id, card_id, account_id, statuses, skip, size, at, place)
   cross join lateral (
     with own as materialized (
       select c.id, c.card_issuer_user_id, c.version, c.kind, c.nickname, c.last_four_digits, c.status, c.spending_limit,
         c.spending_interval, c.created_at
       from cards c
       where c.user_id = q.user_id and c.status = any (q.statuses::card_status[]) and (q.card_id is null or c.id = q.card_id)
         and (q.account_id is null or c.card_issuer_user_id = q.account_id)
     )
     select (select count(*)::integer from own) as total, ${accountsOf('q.user_id')} as accounts,
       coalesce((select json_agg(p) from (
         select o.id, o.card_issuer_user_id as "cardIssuerUserId", o.nickname, o.last_four_digits as "lastFourDigits",
           coalesce(o.kind, 'virtual') as kind, o.status, ${statusReasonOf('o')} as "statusReason",
           ${statusSince('o')} as "statusChangedAt", o.spending_limit::text as "spendingLimit",
           case o.status when 'active' then ${spentIn({ card: 'o', at: 'q.at', upto: `'infinity'` })} else 0 end::text as spent
         from (select * from own order by created_at desc, id desc offset q.skip limit q.size) o
         order by o.created_at desc, o.id desc) p), '[]') as cards
   ) found
   order by q.place`;

interface CardTexts extends Omit<NamedCard, 'statusChangedAt'> {
  statusChangedAt: string;
  spendingLimit: string;
  spent: string;
}

export const selectCardsWithFunds = batchLoader(
  async (db: Db, asked: (NamedCardsFilter & Slice)[]): Promise<CardsOfUser[]> => {
    const rows = await db.query<{ total: number; accounts: AccountTexts[]; cards: CardTexts[] }>(
      cardsWithFunds,
      [
        asked.map(({ userId }) => userId),
        asked.map(({ cardId }) => cardId),
        asked.map(({ cardIssuerUserId }) => cardIssuerUserId),
        asked.map(({ statuses }) => `{${statuses}}`),
        asked.map(({ offset }) => offset),
        asked.map(({ limit }) => limit),
        asked.map(({ now }) => now),
      ],
    );
    return rows.map(({ total, accounts, cards }) => {
      const funds = accounts.map(toAccountFunds);
      const collateralOf = new Map(funds.map((one) => [one.cardIssuerUserId, one.collateralMinor]));
      return { total, accounts: funds, cards: cards.map((card) => toFunded(card, collateralOf)) };
    });
  },
);

function toFunded(
  { statusChangedAt, spendingLimit, spent, ...card }: CardTexts,
  collateralOf: ReadonlyMap<string, bigint>,
): NamedCard & Funds {
  return {
    ...card,
    statusChangedAt: new Date(statusChangedAt),
    spendingLimitMinor: BigInt(spendingLimit),
    spentMinor: BigInt(spent),
    collateralMinor: collateralOf.get(card.cardIssuerUserId) ?? 0n,
  };
}
