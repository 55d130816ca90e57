import type { IssuerCard, IssuerMovement, IssuerTransaction } from '#adapters/issuer';
import type { Db } from '#platform/db/db';

export interface ReportedAccount {
  id: string;
  /** Null if the issuer's reference is not a UUID. */
  userId: string | null;
  collateralAddress: string;
  createdAt: string;
}

/**
 * Each of the statements below takes any number of events of one kind, in any order, known or not, and
 * returns how many are about an unknown user, account or card. Rows are taken in order of their ids, so that
 * two of the statements never wait for each other.
 */
export async function insertAccounts(db: Db, accounts: readonly ReportedAccount[]): Promise<number> {
  const [row] = await db.query<{ unknown: number }>(
    `with reported as (
       select * from jsonb_to_recordset($1::jsonb)
         as t (id text, "userId" uuid, "collateralAddress" text, "createdAt" timestamptz)),
     put as (
       insert into card_issuer_users (id, user_id, collateral_address, created_at)
       select t.id, u.id, t."collateralAddress", t."createdAt" from reported t join users u on u.id = t."userId" order by t.id
       on conflict do nothing)
     select count(*)::integer as unknown from reported t where not exists (select from users u where u.id = t."userId")`,
    [JSON.stringify(accounts)],
  );
  return row!.unknown;
}

/**
 * What the issuer reported, with amounts in US cents instead of dollars. Cents are text, because JSON has no
 * integers of that length.
 */
export type ReportedCard = IssuerCard;
const reportedCards = `jsonb_to_recordset($1::jsonb) as t (id text, "cardIssuerUserId" text, version integer, name text, nickname text,
  "lastFourDigits" text, status card_status, "spendingLimit" bigint, "spendingInterval" card_interval, "createdAt" timestamptz,
  "updatedAt" timestamptz, kind text, "statusReason" text)`;

/**
 * Cards that were not known. A concurrent insert of the same card waits here and then does nothing, whichever
 * unique index sees it first: `on conflict (id) do update` would fail by the other one.
 */
export async function insertCards(db: Db, cards: readonly ReportedCard[]): Promise<void> {
  await db.query(
    `insert into cards (id, card_issuer_user_id, user_id, version, name, nickname, last_four_digits, status, spending_limit,
       spending_interval, created_at, updated_at, kind)
     select distinct on (t.id) t.id, a.id, a.user_id, t.version, t.name, t.nickname, t."lastFourDigits", t.status,
       t."spendingLimit", t."spendingInterval", t."createdAt", t."updatedAt", t.kind
     from ${reportedCards} join card_issuer_users a on a.id = t."cardIssuerUserId"
     order by t.id, t.version desc
     on conflict do nothing`,
    [JSON.stringify(cards)],
  );
}

/** A card as its highest version has it; an account is a card's for life. After `insertCards` of the same. */
export async function updateCards(db: Db, cards: readonly ReportedCard[]): Promise<void> {
  await db.query(
    `update cards c set version = t.version, name = t.name, nickname = t.nickname, last_four_digits = t."lastFourDigits",
       status = t.status, spending_limit = t."spendingLimit", spending_interval = t."spendingInterval",
       updated_at = t."updatedAt", kind = t.kind
     from (select distinct on (t.id) t.* from ${reportedCards} order by t.id, t.version desc) t
     where c.id = t.id and c.card_issuer_user_id = t."cardIssuerUserId" and c.version < t.version`,
    [JSON.stringify(cards)],
  );
}

/** After `insertCards` of the same. */
export async function insertVersions(db: Db, cards: readonly ReportedCard[]): Promise<number> {
  const [row] = await db.query<{ unknown: number }>(
    `with reported as (select * from ${reportedCards}),
     put as (
       insert into card_versions (card_id, version, nickname, status, spending_limit, spending_interval, valid_at,
         status_reason)
       select c.id, t.version, t.nickname, t.status, t."spendingLimit", t."spendingInterval", t."updatedAt", t."statusReason"
       from reported t join cards c on c.id = t.id and c.card_issuer_user_id = t."cardIssuerUserId"
       order by c.id, t.version
       on conflict do nothing)
     select count(*)::integer as unknown from reported t
     where not exists (select from cards c where c.id = t.id and c.card_issuer_user_id = t."cardIssuerUserId")`,
    [JSON.stringify(cards)],
  );
  return row!.unknown;
}

/** Amounts as in `ReportedCard`. */
export type ReportedTransaction = IssuerTransaction;
export async function upsertTransactions(
  db: Db,
  transactions: readonly ReportedTransaction[],
): Promise<number> {
  const [row] = await db.query<{ unknown: number }>(
    `with reported as (
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
       from reported t join cards c on c.id = t."cardId" and c.card_issuer_user_id = t."cardIssuerUserId"
       order by t.id, t.version desc
       on conflict (id) do update set version = excluded.version, type = excluded.type, status = excluded.status,
         amount = excluded.amount, currency = excluded.currency, merchant_name = excluded.merchant_name,
         description = excluded.description, merchant_category = excluded.merchant_category,
         merchant_country = excluded.merchant_country, local_amount = excluded.local_amount,
         local_currency = excluded.local_currency, authorized_at = excluded.authorized_at, settled_at = excluded.settled_at,
         decline_reason = excluded.decline_reason, updated_at = excluded.updated_at
       where x.version < excluded.version and x.card_id = excluded.card_id)
     select count(*)::integer as unknown from reported t
     where not exists (select from cards c where c.id = t."cardId" and c.card_issuer_user_id = t."cardIssuerUserId")`,
    [JSON.stringify(transactions)],
  );
  return row!.unknown;
}

/** Amounts as in `ReportedCard`. */
export type ReportedMovement = IssuerMovement;
const reportedMovements = `jsonb_to_recordset($1::jsonb) as t (id text, "cardIssuerUserId" text, sequence integer, action text, type text,
  status text, amount bigint, "previousBalance" bigint, "runningBalance" bigint, description text, "transactionId" text,
  reference text, "createdAt" timestamptz)`;

export async function insertMovements(db: Db, movements: readonly ReportedMovement[]): Promise<number> {
  const [row] = await db.query<{ unknown: number }>(
    `with reported as (select * from ${reportedMovements}),
     put as (
       insert into card_movements (id, card_issuer_user_id, user_id, sequence, action, type, status, amount, previous_balance,
         running_balance, description, transaction_id, reference, created_at)
       select t.id, a.id, a.user_id, t.sequence, t.action, t.type, t.status, t.amount, t."previousBalance",
         t."runningBalance", t.description, t."transactionId", t.reference, t."createdAt"
       from reported t join card_issuer_users a on a.id = t."cardIssuerUserId" order by a.id, t.sequence
       on conflict do nothing)
     select count(*)::integer as unknown from reported t
     where not exists (select from card_issuer_users a where a.id = t."cardIssuerUserId")`,
    [JSON.stringify(movements)],
  );
  return row!.unknown;
}

/**
 * The balance after the last movement that is stored: one that contradicts what is known was left out, and
 * does not count.
 */
export async function updateCollateral(db: Db, movements: readonly ReportedMovement[]): Promise<void> {
  await db.query(
    `update card_issuer_users a set collateral = m.running_balance, last_sequence = m.sequence
     from (select distinct on (k.card_issuer_user_id) k.card_issuer_user_id, k.sequence, k.running_balance
       from ${reportedMovements}
       join card_movements k on k.id = t.id and k.card_issuer_user_id = t."cardIssuerUserId" and k.sequence = t.sequence
       order by k.card_issuer_user_id, k.sequence desc) m
     where a.id = m.card_issuer_user_id and a.last_sequence < m.sequence`,
    [JSON.stringify(movements)],
  );
}
