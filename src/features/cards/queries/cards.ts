import type { CardKind, CardStatus, SpendingInterval } from '#adapters/issuer';
import type { Db, Row } from '#platform/db/db';

export interface CardRow {
  id: string;
  cardIssuerUserId: string;
  userId: string;
  version: number;
  /** The cardholder's name. */
  name: string;
  nickname: string | null;
  lastFourDigits: string;
  kind: CardKind;
  status: CardStatus;
  /** In cents. */
  spendingLimit: bigint;
  spendingInterval: SpendingInterval;
  createdAt: Date;
  updatedAt: Date;
}

const cardColumns = `c.id, c.card_issuer_user_id as "cardIssuerUserId", c.user_id as "userId", c.version, c.name, c.nickname,
  c.last_four_digits as "lastFourDigits", coalesce(c.kind, 'virtual') as kind, c.status, c.spending_limit as "spendingLimit", c.spending_interval as "spendingInterval",
  c.created_at as "createdAt", c.updated_at as "updatedAt"`;

/** The caller must know all three ids. */
export async function selectOwnCard(
  db: Db,
  { userId, cardId, cardIssuerUserId }: { userId: string; cardId: string; cardIssuerUserId: string },
): Promise<CardRow | undefined> {
  const [row] = await db.query<CardRow & Row>(
    `select ${cardColumns} from cards c where c.id = $1 and c.user_id = $2 and c.card_issuer_user_id = $3`,
    [cardId, userId, cardIssuerUserId],
  );
  return row;
}

export async function selectCard(db: Db, cardId: string): Promise<CardRow | undefined> {
  const [row] = await db.query<CardRow & Row>(`select ${cardColumns} from cards c where c.id = $1`, [cardId]);
  return row;
}

/** In the order of the ids. */
export async function selectCards(
  db: Db,
  { userId, cardIds }: { userId: string; cardIds: readonly string[] },
): Promise<CardRow[]> {
  return db.query<CardRow & Row>(
    `select ${cardColumns} from cards c where c.user_id = $1 and c.id = any($2::text[])
     order by array_position($2::text[], c.id)`,
    [userId, cardIds],
  );
}

/** Other cards of the user with names of these, in any case, made since then, not canceled; oldest first. */
export async function selectNamesakes(
  db: Db,
  { userId, cardIds, since }: { userId: string; cardIds: readonly string[]; since: Date },
): Promise<CardRow[]> {
  return db.query<CardRow & Row>(
    `select ${cardColumns} from cards c
     where c.user_id = $1 and c.created_at >= $3 and c.status <> 'canceled' and not c.id = any($2::text[])
       and lower(c.nickname) in (select lower(n.nickname) from cards n where n.id = any($2::text[]))
     order by c.created_at, c.id`,
    [userId, cardIds, since],
  );
}

export async function selectAcrossUsers(
  db: Db,
  filter: { userId?: string; status?: CardStatus; after?: string; limit: number },
): Promise<CardRow[]> {
  return db.query<CardRow & Row>(
    `select ${cardColumns} from cards c
     where ($1::uuid is null or c.user_id = $1) and ($2::card_status is null or c.status = $2) and ($3::text is null or c.id > $3)
     order by c.id limit $4`,
    [filter.userId ?? null, filter.status ?? null, filter.after ?? null, filter.limit],
  );
}

export interface CardVersion {
  version: number;
  nickname: string | null;
  status: CardStatus;
  spendingLimit: bigint;
  spendingInterval: SpendingInterval;
  validAt: Date;
}

/** The newest ones, newest first. */
export async function selectVersions(db: Db, cardId: string, limit: number): Promise<CardVersion[]> {
  return db.query<CardVersion & Row>(
    `select version, nickname, status, spending_limit as "spendingLimit", spending_interval as "spendingInterval",
       valid_at as "validAt"
     from card_versions where card_id = $1 order by version desc limit $2`,
    [cardId, limit],
  );
}

export async function countTransactionsSince(db: Db, cardId: string, since: Date): Promise<number> {
  const [row] = await db.query<{ count: number }>(
    'select count(*)::integer as count from card_transactions where card_id = $1 and created_at >= $2',
    [cardId, since],
  );
  return row!.count;
}

/** How many purchases of a card are stored, whatever became of them. */
export async function countPurchases(db: Db, cardId: string): Promise<number> {
  const [row] = await db.query<{ count: number }>(
    `select count(*)::integer as count from card_transactions where card_id = $1 and type = 'purchase'`,
    [cardId],
  );
  return row!.count;
}
