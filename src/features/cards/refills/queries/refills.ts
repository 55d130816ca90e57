import type { Db, Row } from '#platform/db/db';
import type { RefillCurrency } from '../states.ts';

/** Makes queued refills due now. */
export async function updateDueNow(db: Db, cardIssuerUserId: string, now: Date): Promise<void> {
  await db.query(
    `update card_refills set due_at = least(due_at, $2) where card_issuer_user_id = $1 and status = 'queued'`,
    [cardIssuerUserId, now],
  );
}

// ## Opening

/** The issuer has posted a movement for the payment. */
export const isCredited = (refill: string) => `exists (select from card_movements m
  where m.card_issuer_user_id = ${refill}.card_issuer_user_id
    and m.reference = ${refill}.transaction_hash || ':' || ${refill}.log_index)`;

/**
 * Accounts below their threshold whose last refill is over.
 * - Completed: the issuer must have credited it, or the same shortfall would be paid again. If the credit is
 *   overdue, a rule change made after `due_at` ends the wait: by it an operator says that the payment was
 *   checked.
 * - Failed: its rest is over, or the rule was changed since.
 */
const short = `card_refill_rules r join card_issuer_users a on a.id = r.card_issuer_user_id
  left join lateral (
    select f.* from card_refills f where f.card_issuer_user_id = a.id order by f.number desc limit 1) last on true
  where r.is_enabled and r.is_short
    and (last.id is null or case last.status
      when 'completed' then r.updated_at > last.due_at or ${isCredited('last')}
      when 'failed' then last.due_at <= $1 or r.updated_at > last.updated_at
      else false end)`;

export async function hasShort(db: Db, now: Date): Promise<boolean> {
  return (await db.query(`select 1 from ${short} limit 1`, [now])).length > 0;
}

/**
 * Concurrent inserts for one account use the same number, so only one succeeds. The same holds for an insert
 * by an old snapshot that does not show the newest refill.
 */
export async function insertRefills(db: Db, now: Date, limit: number): Promise<string[]> {
  const rows = await db.query<{ id: string }>(
    `insert into card_refills (card_issuer_user_id, user_id, number, amount, network, currency, due_at, created_at, updated_at)
     select a.id, a.user_id, coalesce(last.number, 0) + 1, r.amount, r.network, r.currency, $1, $1, $1
     from ${short} order by a.id limit $2
     on conflict do nothing returning id`,
    [now, limit],
  );
  return rows.map(({ id }) => id);
}

// ## Paying

/** Refills that are queued and due, longest due first. */
export async function selectDue(db: Db, now: Date, limit: number): Promise<string[]> {
  const rows = await db.query<{ id: string }>(
    `select id from card_refills where status = 'queued' and due_at <= $1 order by due_at, id limit $2`,
    [now, limit],
  );
  return rows.map(({ id }) => id);
}

export interface DueRefill {
  id: string;
  userId: string;
  amount: bigint;
  network: string;
  currency: RefillCurrency;
  retries: number;
  collateralAddress: string;
  isEnabled: boolean;
  isShort: boolean;
  /** The rule's amount, network or currency has changed since. */
  isOutdated: boolean;
}

/** Locked until the end of the transaction. Undefined if another worker has it, or it is no longer due. */
export async function lockDue(db: Db, refillId: string, now: Date): Promise<DueRefill | undefined> {
  const [row] = await db.query<DueRefill & Row>(
    `select f.id, f.user_id as "userId", f.amount, f.network, f.currency, f.retries,
       a.collateral_address as "collateralAddress", r.is_enabled as "isEnabled", r.is_short as "isShort",
       (r.amount, r.network, r.currency) <> (f.amount, f.network, f.currency) as "isOutdated"
     from card_refills f join card_issuer_users a on a.id = f.card_issuer_user_id
     join card_refill_rules r on r.card_issuer_user_id = a.id
     where f.id = $1 and f.status = 'queued' and f.due_at <= $2 for update of f skip locked`,
    [refillId, now],
  );
  return row;
}

export async function updateStarted(
  db: Db,
  { refillId, bulkId, now }: { refillId: string; bulkId: string; now: Date },
): Promise<void> {
  await db.query(
    `update card_refills set status = 'processing', withdrawal_id = (select id from withdrawals where bulk_id = $2),
       due_at = $3, updated_at = $3
     where id = $1`,
    [refillId, bulkId, now],
  );
}

/** The refill is queued and locked by us. */
export async function updatePostponed(
  db: Db,
  { refillId, now, error, dueAt }: { refillId: string; now: Date; error: string; dueAt: Date },
): Promise<void> {
  await db.query('update card_refills set error = $2, due_at = $3, updated_at = $4 where id = $1', [
    refillId,
    error,
    dueAt,
    now,
  ]);
}

// ## Following

export interface PaidRefill {
  id: string;
  cardIssuerUserId: string;
  network: string;
  currency: string;
  amount: bigint;
  retries: number;
  withdrawalId: string;
  decimals: number;
  /** In the token's smallest units. */
  paid: bigint;
  /** Null if the withdrawal completed. */
  errorMessage: string | null;
  /** The payment's place on chain and when it was posted; null if it failed. */
  transactionHash: string | null;
  logIndex: number | null;
  executedAt: Date | null;
}

/** Due refills whose payment has completed or failed. */
export async function selectPaid(db: Db, now: Date, limit: number): Promise<PaidRefill[]> {
  return db.query<PaidRefill & Row>(
    `select f.id, f.card_issuer_user_id as "cardIssuerUserId", f.network, f.currency, f.amount, f.retries,
       w.id as "withdrawalId", w.decimals, w.amount as paid, w.error_message as "errorMessage",
       p.transaction_hash as "transactionHash", p.log_index as "logIndex", p.posted_at as "executedAt"
     from card_refills f join withdrawals w on w.id = f.withdrawal_id
     left join ledger_postings p on p.kind = 'withdrawal' and p.operation_id = w.id::text
     where f.status = 'processing' and f.due_at <= $1 and w.status in ('completed', 'failed')
     order by f.due_at, f.id limit $2`,
    [now, limit],
  );
}

export interface Attempt {
  refillId: string;
  withdrawalId: string;
  now: Date;
}

/** Matches nothing if another worker has already ended the attempt. */
const ofAttempt = `id = $1 and withdrawal_id = $2 and status = 'processing'`;

export async function updateCompleted(
  db: Db,
  {
    refillId,
    withdrawalId,
    now,
    ...paid
  }: Attempt & { transactionHash: string; logIndex: number; executedAt: Date; dueAt: Date },
): Promise<boolean> {
  const rows = await db.query(
    `update card_refills set status = 'completed', transaction_hash = $3, log_index = $4, executed_at = $5, due_at = $6,
       error = null, updated_at = $7
     where ${ofAttempt} returning 1`,
    [refillId, withdrawalId, paid.transactionHash, paid.logIndex, paid.executedAt, paid.dueAt, now],
  );
  return rows.length > 0;
}

/** Paid, but the issuer has not accepted the announcement yet. */
export async function updateUntold(
  db: Db,
  { refillId, withdrawalId, now, error, dueAt }: Attempt & { error: string; dueAt: Date },
): Promise<void> {
  await db.query(`update card_refills set error = $3, due_at = $4, updated_at = $5 where ${ofAttempt}`, [
    refillId,
    withdrawalId,
    error,
    dueAt,
    now,
  ]);
}

export async function updateRetry(
  db: Db,
  { refillId, withdrawalId, now, error, dueAt }: Attempt & { error: string; dueAt: Date },
): Promise<boolean> {
  const rows = await db.query(
    `update card_refills set status = 'queued', retries = retries + 1, error = $3, due_at = $4, updated_at = $5
     where ${ofAttempt} returning 1`,
    [refillId, withdrawalId, error, dueAt, now],
  );
  return rows.length > 0;
}

/** The refill is queued and locked by us, or its attempt has failed. */
export async function updateFailed(
  db: Db,
  { refillId, now, error, dueAt }: Omit<Attempt, 'withdrawalId'> & { error: string; dueAt: Date },
): Promise<boolean> {
  const rows = await db.query(
    `update card_refills set status = 'failed', error = $2, due_at = $3, updated_at = $4
     where id = $1 and status in ('queued', 'processing') returning 1`,
    [refillId, error, dueAt, now],
  );
  return rows.length > 0;
}
