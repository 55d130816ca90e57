import type { CardStatus, SpendingInterval } from '#adapters/issuer';
import type { Db, Row } from '#platform/db/db';

// ## Events

export interface ToldAccount {
  id: string;
  /** Null where what the issuer has as our user's id is none. */
  userId: string | null;
  collateralAddress: string;
  createdAt: string;
}

/**
 * Each of the statements below takes any number of events of one kind, in any order, told before or not, and says how many are
 * about somebody or something that is not known. Rows are taken in order of their ids, so that two of them never wait for each
 * other.
 */
export async function insertAccounts(db: Db, accounts: readonly ToldAccount[]): Promise<number> {
  const [row] = await db.query<{ unknown: number }>(
    `with told as (
       select * from jsonb_to_recordset($1::jsonb)
         as t (id text, "userId" uuid, "collateralAddress" text, "createdAt" timestamptz)),
     put as (
       insert into card_issuer_users (id, user_id, collateral_address, created_at)
       select t.id, u.id, t."collateralAddress", t."createdAt" from told t join users u on u.id = t."userId" order by t.id
       on conflict do nothing)
     select count(*)::integer as unknown from told t where not exists (select from users u where u.id = t."userId")`,
    [JSON.stringify(accounts)],
  );
  return row!.unknown;
}

/** Cents are text, because JSON has no integers of that length. */
export interface ToldCard {
  id: string;
  cardIssuerUserId: string;
  version: number;
  name: string;
  nickname: string | null;
  lastFourDigits: string;
  status: CardStatus;
  spendingLimit: string;
  spendingInterval: SpendingInterval;
  createdAt: string;
  updatedAt: string;
}

const toldCards = `jsonb_to_recordset($1::jsonb) as t (id text, "cardIssuerUserId" text, version integer, name text, nickname text,
  "lastFourDigits" text, status card_status, "spendingLimit" bigint, "spendingInterval" card_interval, "createdAt" timestamptz,
  "updatedAt" timestamptz)`;

/**
 * Cards that were not known. Whoever tells the same one at once waits here and then does nothing, whichever unique index sees it
 * first: `on conflict (id) do update` would fail by the other one.
 */
export async function insertCards(db: Db, cards: readonly ToldCard[]): Promise<void> {
  await db.query(
    `insert into cards (id, card_issuer_user_id, user_id, version, name, nickname, last_four_digits, status, spending_limit,
       spending_interval, created_at, updated_at)
     select distinct on (t.id) t.id, a.id, a.user_id, t.version, t.name, t.nickname, t."lastFourDigits", t.status,
       t."spendingLimit", t."spendingInterval", t."createdAt", t."updatedAt"
     from ${toldCards} join card_issuer_users a on a.id = t."cardIssuerUserId"
     order by t.id, t.version desc
     on conflict do nothing`,
    [JSON.stringify(cards)],
  );
}

/** A card as its highest version has it; an account is a card's for life. After `insertCards` of the same. */
export async function updateCards(db: Db, cards: readonly ToldCard[]): Promise<void> {
  await db.query(
    `update cards c set version = t.version, name = t.name, nickname = t.nickname, last_four_digits = t."lastFourDigits",
       status = t.status, spending_limit = t."spendingLimit", spending_interval = t."spendingInterval",
       updated_at = t."updatedAt"
     from (select distinct on (t.id) t.* from ${toldCards} order by t.id, t.version desc) t
     where c.id = t.id and c.card_issuer_user_id = t."cardIssuerUserId" and c.version < t.version`,
    [JSON.stringify(cards)],
  );
}

/** After `insertCards` of the same. */
export async function insertVersions(db: Db, cards: readonly ToldCard[]): Promise<number> {
  const [row] = await db.query<{ unknown: number }>(
    `with told as (select * from ${toldCards}),
     put as (
       insert into card_versions (card_id, version, nickname, status, spending_limit, spending_interval, valid_at)
       select c.id, t.version, t.nickname, t.status, t."spendingLimit", t."spendingInterval", t."updatedAt"
       from told t join cards c on c.id = t.id and c.card_issuer_user_id = t."cardIssuerUserId"
       order by c.id, t.version
       on conflict do nothing)
     select count(*)::integer as unknown from told t
     where not exists (select from cards c where c.id = t.id and c.card_issuer_user_id = t."cardIssuerUserId")`,
    [JSON.stringify(cards)],
  );
  return row!.unknown;
}

export interface ToldTransaction {
  id: string;
  cardId: string;
  cardIssuerUserId: string;
  version: number;
  type: string;
  status: string;
  amount: string;
  currency: string;
  merchantName: string;
  description: string | null;
  merchantCategory: string | null;
  merchantCountry: string | null;
  localAmount: string | null;
  localCurrency: string | null;
  createdAt: string;
  authorizedAt: string | null;
  settledAt: string | null;
  declineReason: string | null;
  updatedAt: string;
}

export async function upsertTransactions(db: Db, transactions: readonly ToldTransaction[]): Promise<number> {
  const [row] = await db.query<{ unknown: number }>(
    `with told as (
       select * from jsonb_to_recordset($1::jsonb) as t (id text, "cardId" text, "cardIssuerUserId" text, version integer,
         type text, status card_transaction_status, amount bigint, currency text, "merchantName" text, description text,
         "merchantCategory" text, "merchantCountry" text, "localAmount" text, "localCurrency" text, "createdAt" timestamptz,
         "authorizedAt" timestamptz, "settledAt" timestamptz, "declineReason" text, "updatedAt" timestamptz)),
     put as (
       insert into card_transactions as x (id, card_id, user_id, version, type, status, amount, currency, merchant_name,
         description, merchant_category, merchant_country, local_amount, local_currency, created_at, authorized_at, settled_at,
         decline_reason, updated_at)
       select distinct on (t.id) t.id, c.id, c.user_id, t.version, t.type, t.status, t.amount, t.currency, t."merchantName",
         t.description, t."merchantCategory", t."merchantCountry", t."localAmount", t."localCurrency", t."createdAt",
         t."authorizedAt", t."settledAt", t."declineReason", t."updatedAt"
       from told t join cards c on c.id = t."cardId" and c.card_issuer_user_id = t."cardIssuerUserId"
       order by t.id, t.version desc
       on conflict (id) do update set version = excluded.version, type = excluded.type, status = excluded.status,
         amount = excluded.amount, currency = excluded.currency, merchant_name = excluded.merchant_name,
         description = excluded.description, merchant_category = excluded.merchant_category,
         merchant_country = excluded.merchant_country, local_amount = excluded.local_amount,
         local_currency = excluded.local_currency, authorized_at = excluded.authorized_at, settled_at = excluded.settled_at,
         decline_reason = excluded.decline_reason, updated_at = excluded.updated_at
       where x.version < excluded.version and x.card_id = excluded.card_id)
     select count(*)::integer as unknown from told t
     where not exists (select from cards c where c.id = t."cardId" and c.card_issuer_user_id = t."cardIssuerUserId")`,
    [JSON.stringify(transactions)],
  );
  return row!.unknown;
}

export interface ToldMovement {
  id: string;
  cardIssuerUserId: string;
  sequence: number;
  action: string;
  type: string;
  status: string;
  amount: string;
  previousBalance: string;
  runningBalance: string;
  description: string;
  transactionId: string | null;
  reference: string | null;
  createdAt: string;
}

const toldMovements = `jsonb_to_recordset($1::jsonb) as t (id text, "cardIssuerUserId" text, sequence integer, action text, type text,
  status text, amount bigint, "previousBalance" bigint, "runningBalance" bigint, description text, "transactionId" text,
  reference text, "createdAt" timestamptz)`;

export async function insertMovements(db: Db, movements: readonly ToldMovement[]): Promise<number> {
  const [row] = await db.query<{ unknown: number }>(
    `with told as (select * from ${toldMovements}),
     put as (
       insert into card_movements (id, card_issuer_user_id, user_id, sequence, action, type, status, amount, previous_balance,
         running_balance, description, transaction_id, reference, created_at)
       select t.id, a.id, a.user_id, t.sequence, t.action, t.type, t.status, t.amount, t."previousBalance",
         t."runningBalance", t.description, t."transactionId", t.reference, t."createdAt"
       from told t join card_issuer_users a on a.id = t."cardIssuerUserId" order by a.id, t.sequence
       on conflict do nothing)
     select count(*)::integer as unknown from told t
     where not exists (select from card_issuer_users a where a.id = t."cardIssuerUserId")`,
    [JSON.stringify(movements)],
  );
  return row!.unknown;
}

/** The balance after the last movement that is stored: one that contradicts what is known was left out, and does not count. */
export async function updateCollateral(db: Db, movements: readonly ToldMovement[]): Promise<void> {
  await db.query(
    `update card_issuer_users a set collateral = m.running_balance, last_sequence = m.sequence
     from (select distinct on (k.card_issuer_user_id) k.card_issuer_user_id, k.sequence, k.running_balance
       from ${toldMovements}
       join card_movements k on k.id = t.id and k.card_issuer_user_id = t."cardIssuerUserId" and k.sequence = t.sequence
       order by k.card_issuer_user_id, k.sequence desc) m
     where a.id = m.card_issuer_user_id and a.last_sequence < m.sequence`,
    [JSON.stringify(movements)],
  );
}

/** Wakes the workers' catch-up, which reads in order what a webhook told before its turn. */
export async function notifyCatchUp(db: Db): Promise<void> {
  await db.query(`select pg_notify('${catchUpChannel}', '')`);
}

export const catchUpChannel = 'card_events';

// ## How far the issuer's events were read

export interface EventCursor {
  /** Of the last event that was read. */
  lastSequence: bigint;
  readAt: Date | null;
  /** Events about people who are none of our users or things that we keep nothing of, and those that an operator passed over. */
  skipped: bigint;
  /** An event that the issuer does not have, though it has later ones, or that cannot be read: the next one. */
  missingSequence: bigint | null;
  missingSince: Date | null;
  /** It is there and cannot be read. */
  isUnreadable: boolean;
}

const cursorColumns = `last_sequence as "lastSequence", read_at as "readAt", skipped, missing_sequence as "missingSequence",
  missing_since as "missingSince", is_unreadable as "isUnreadable"`;

export async function selectEventCursor(db: Db): Promise<EventCursor> {
  const [row] = await db.query<EventCursor & Row>(`select ${cursorColumns} from card_event_cursor`);
  return row!;
}

export async function lockEventCursor(db: Db): Promise<EventCursor> {
  const [row] = await db.query<EventCursor & Row>(
    `select ${cursorColumns} from card_event_cursor for update`,
  );
  return row!;
}

export async function updateEventCursor(
  db: Db,
  { lastSequence, readAt, skipped, missingSequence, missingSince, isUnreadable }: EventCursor,
): Promise<void> {
  await db.query(
    `update card_event_cursor set last_sequence = $1, read_at = $2, skipped = $3, missing_sequence = $4, missing_since = $5,
       is_unreadable = $6`,
    [lastSequence, readAt, skipped, missingSequence, missingSince, isUnreadable],
  );
}

/** Seconds since the events were last read; undefined before the first time. */
export async function selectSecondsBehind(db: Db): Promise<number | undefined> {
  const [row] = await db.query<{ seconds: number }>(
    `select greatest(extract(epoch from now() - read_at), 0)::double precision as seconds
     from card_event_cursor where read_at is not null`,
  );
  return row?.seconds;
}

// ## Cards and accounts

export interface CardRow {
  id: string;
  cardIssuerUserId: string;
  userId: string;
  version: number;
  /** Of the person whom it was made out to. */
  name: string;
  nickname: string | null;
  lastFourDigits: string;
  status: CardStatus;
  /** In cents. */
  spendingLimit: bigint;
  spendingInterval: SpendingInterval;
  createdAt: Date;
  updatedAt: Date;
}

const cardColumns = `c.id, c.card_issuer_user_id as "cardIssuerUserId", c.user_id as "userId", c.version, c.name, c.nickname,
  c.last_four_digits as "lastFourDigits", c.status, c.spending_limit as "spendingLimit", c.spending_interval as "spendingInterval",
  c.created_at as "createdAt", c.updated_at as "updatedAt"`;

/** A card by everything that a caller must know of it. */
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

export async function countPurchases(db: Db, cardId: string): Promise<number> {
  const [row] = await db.query<{ count: number }>(
    `select count(*)::integer as count from card_transactions where card_id = $1 and type = 'purchase'`,
    [cardId],
  );
  return row!.count;
}

export interface CardAccount {
  id: string;
  userId: string;
  collateralAddress: string;
  /** In cents. */
  collateral: bigint;
  /** Of the last movement; 0 before the first. */
  lastSequence: number;
  createdAt: Date;
}

const accountColumns = `id, user_id as "userId", collateral_address as "collateralAddress", collateral,
  last_sequence as "lastSequence", created_at as "createdAt"`;

export async function selectAccount(db: Db, cardIssuerUserId: string): Promise<CardAccount | undefined> {
  const [row] = await db.query<CardAccount & Row>(
    `select ${accountColumns} from card_issuer_users where id = $1`,
    [cardIssuerUserId],
  );
  return row;
}

/** Oldest first. */
export async function selectAccounts(db: Db, userId: string): Promise<CardAccount[]> {
  return db.query<CardAccount & Row>(
    `select ${accountColumns} from card_issuer_users where user_id = $1 order by created_at, id`,
    [userId],
  );
}

/** The account whose card it was paid with. */
export async function selectTransactionAccount(db: Db, transactionId: string): Promise<string | undefined> {
  const [row] = await db.query<{ id: string }>(
    `select c.card_issuer_user_id as id from card_transactions x join cards c on c.id = x.card_id where x.id = $1`,
    [transactionId],
  );
  return row?.id;
}

// ## Requests that may come again

export interface CardRequest {
  fingerprint: Buffer;
  /** Of the cards that it made or changed; null while the issuer has not told. */
  cardIds: string[] | null;
  asked: unknown;
}

export async function selectRequest(
  db: Db,
  { userId, idempotencyKey }: { userId: string; idempotencyKey: string },
): Promise<CardRequest | undefined> {
  const [row] = await db.query<CardRequest & Row>(
    `select fingerprint, card_ids as "cardIds", asked from card_requests where user_id = $1 and idempotency_key = $2`,
    [userId, idempotencyKey],
  );
  return row;
}

interface NewRequest {
  userId: string;
  idempotencyKey: string;
  fingerprint: Buffer;
  asked: unknown;
  now: Date;
}

/** Nothing where somebody else was first. */
export async function insertRequest(db: Db, request: NewRequest): Promise<void> {
  const { userId, idempotencyKey, fingerprint, asked, now } = request;
  await db.query(
    `insert into card_requests (user_id, idempotency_key, fingerprint, asked, created_at) values ($1, $2, $3, $4, $5)
     on conflict do nothing`,
    [userId, idempotencyKey, fingerprint, JSON.stringify(asked), now],
  );
}

/** Nothing where it was answered meanwhile. */
export async function updateUnansweredRequest(db: Db, request: Omit<NewRequest, 'now'>): Promise<void> {
  const { userId, idempotencyKey, fingerprint, asked } = request;
  await db.query(
    `update card_requests set asked = $4
     where user_id = $1 and idempotency_key = $2 and fingerprint = $3 and card_ids is null`,
    [userId, idempotencyKey, fingerprint, JSON.stringify(asked)],
  );
}

/** Notes what was answered; false where it was noted before, or where the key is another request's by now. */
export async function upsertAnswer(db: Db, request: NewRequest & { cardIds: string[] }): Promise<boolean> {
  const { userId, idempotencyKey, fingerprint, asked, now, cardIds } = request;
  const rows = await db.query(
    `insert into card_requests as r (user_id, idempotency_key, fingerprint, asked, created_at, card_ids)
     values ($1, $2, $3, $4, $5, $6)
     on conflict (user_id, idempotency_key) do update set card_ids = excluded.card_ids
       where r.card_ids is null and r.fingerprint = excluded.fingerprint
     returning 1`,
    [userId, idempotencyKey, fingerprint, JSON.stringify(asked), now, cardIds],
  );
  return rows.length > 0;
}

/** Nothing where it was answered meanwhile, or where the key is another request's by now. */
export async function deleteUnansweredRequest(
  db: Db,
  { userId, idempotencyKey, fingerprint }: Pick<NewRequest, 'userId' | 'idempotencyKey' | 'fingerprint'>,
): Promise<void> {
  await db.query(
    `delete from card_requests
     where user_id = $1 and idempotency_key = $2 and fingerprint = $3 and card_ids is null`,
    [userId, idempotencyKey, fingerprint],
  );
}

// ## Reveals

/** Reveals of one user come one after another from here to the end of the transaction. */
export async function lockReveals(db: Db, userId: string): Promise<void> {
  await db.query('select from users where id = $1 for no key update', [userId]);
}

/** The newest ones after an instant, newest first. */
export async function selectReveals(
  db: Db,
  { userId, after, limit }: { userId: string; after: Date; limit: number },
): Promise<Date[]> {
  const rows = await db.query<{ revealedAt: Date }>(
    `select revealed_at as "revealedAt" from card_reveals where user_id = $1 and revealed_at > $2
     order by revealed_at desc limit $3`,
    [userId, after, limit],
  );
  return rows.map(({ revealedAt }) => revealedAt);
}

export async function insertReveal(
  db: Db,
  { userId, cardId, keyId, now }: { userId: string; cardId: string; keyId: string; now: Date },
): Promise<bigint> {
  const [row] = await db.query<{ id: bigint }>(
    'insert into card_reveals (user_id, card_id, key_id, revealed_at) values ($1, $2, $3, $4) returning id',
    [userId, cardId, keyId, now],
  );
  return row!.id;
}

/** Where nothing was revealed. */
export async function deleteReveal(db: Db, revealId: bigint): Promise<void> {
  await db.query('delete from card_reveals where id = $1', [revealId]);
}
