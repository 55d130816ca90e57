import type { Db, Row } from '#platform/db/db';
import { recheckMs, turnMax } from '../timing.ts';

export interface QueuedRow {
  id: string;
  userId: string;
  currency: string;
  amount: bigint;
}

/**
 * Rows that another worker has are left to it, and those of accounts that are known to be locked to a later
 * turn.
 */
export async function lockQueued(
  db: Db,
  {
    network,
    without,
    limit,
  }: { network: string; without: readonly { userId: string; currency: string }[]; limit: number },
): Promise<QueuedRow[]> {
  return db.query<QueuedRow & Row>(
    `select id, user_id as "userId", currency, amount from withdrawals
     where status = 'queued' and network = $1 and ${notFoundPaid}
       and (user_id, currency) not in (select * from unnest($2::uuid[], $3::text[]))
     order by id limit $4 for update skip locked`,
    [network, without.map(({ userId }) => userId), without.map(({ currency }) => currency), limit],
  );
}

export async function updatePending(db: Db, ids: readonly string[], now: Date): Promise<void> {
  await db.query(
    `update withdrawals set status = 'pending', updated_at = greatest(updated_at, $2) where id = any($1::uuid[])`,
    [ids, now],
  );
}

export async function updateFailedBeforeSigning(
  db: Db,
  failures: readonly { id: string; errorMessage: string }[],
  now: Date,
): Promise<void> {
  await db.query(
    `update withdrawals w set status = 'failed', error_message = f.message, waiting_for = null,
       updated_at = greatest(updated_at, $3)
     from unnest($1::uuid[], $2::text[]) f (id, message) where w.id = f.id`,
    [failures.map(({ id }) => id), failures.map(({ errorMessage }) => errorMessage), now],
  );
}

export interface PendingRow {
  id: string;
  userId: string;
  currency: string;
  decimals: number;
  tokenAddress: string;
  toAddress: string;
  amount: bigint;
  keyMark: Buffer;
  /** What the rules say: null if it may be signed, `approved`, `approval`, or why it is denied. */
  ruling: string | null;
  /** It is denied because of a sum: when an earlier payout fails, it may be allowed. */
  isBySum: boolean | null;
}

/** Every transaction of a withdrawal carries the same mark, a replacement with higher fees too. */
export const keyMark = `case when w.idempotency_key is null
    then withdrawal_facts_mark(w.partner_id, w.user_id, w.network, w.token_address, w.to_address, w.amount)
    else withdrawal_key_mark(w.partner_id, w.idempotency_key) end as "keyMark"`;

const pendingColumns = `w.id, w.user_id as "userId", w.currency, w.decimals, w.token_address as "tokenAddress",
  w.to_address as "toAddress", w.amount, ${keyMark}, r.ruling, r.is_by_sum as "isBySum"`;

/** It may be signed once its approvals are verified. */
export const approved = 'approved';

/** Waits until somebody approves it. */
export const approval = 'approval';

/** Whether the rules deny it. */
export const isDenial = (ruling: string | null) =>
  ruling !== null && ruling !== approval && ruling !== approved;

/** Whether people decide how long it waits, and not trouble of a wallet. */
export const isDecided = (waitingFor: string) =>
  [approval, 'paused'].includes(waitingFor) || waitingFor.endsWith(' suspended');

/** The same as a condition on `waiting_for`. */
export const isDecidedInSql = `waiting_for in ('${approval}', 'paused') or waiting_for like '% suspended'`;

const suspension = `coalesce(withdrawal_suspension(w.partner_id, w.user_id, w.key_id),
    payout_pause(w.network, w.partner_id, w.user_id))`;

/** An approval comes first: it is the one of these for which people must do something. */
const decision = `case when r.ruling = '${approval}' then r.ruling else ${suspension} end`;

/** What was found paid on chain is bound to that payment, and never held or signed again. */
const notFoundPaid = 'not exists (select from found_payments f where f.withdrawal_id = withdrawals.id)';

export interface ClaimedRow extends PendingRow {
  /**
   * A payment of it, or under its idempotency key, was found on chain: it is bound to that payment, or waits
   * for an operator.
   */
  isFound: boolean;
  /**
   * Why it waits whatever the wallets have: for an approval, or until its user, partner or key, or payouts,
   * are resumed.
   */
  decision: string | null;
}

const isFound = `exists (select from found_payments f where f.withdrawal_id = w.id) or exists (select from found_payments f
    where w.idempotency_key is not null and f.key_mark = withdrawal_key_mark(w.partner_id, w.idempotency_key))`;

/** What one hot wallet takes of the pending withdrawals of its network. */
export interface Claim {
  network: string;
  address: string;
  /**
   * New withdrawals are spread by their ids over `of` wallets; this one takes those of these places. Those
   * that a wallet has looked at and not signed are for all.
   */
  share: { of: number; places: readonly number[] };
  /** What it has passed on to the other wallets. */
  without: readonly string[];
  leaveMs: number;
  limit: number;
}

/**
 * Takes pending withdrawals to check, which other workers leave alone for `leaveMs`: nothing to give back if
 * we die. Those that were looked at longest ago come first, else many that wait for one token would keep all
 * behind them from their turn.
 */
export async function claimPending(db: Db, claim: Claim): Promise<ClaimedRow[]> {
  const { network, address, share, without, leaveMs, limit } = claim;
  return db.query<ClaimedRow & Row>(
    `with taken as (
       select id from withdrawals
       where status = 'pending' and network = $1
         and (checked_at is null or checked_at < now() - $2 * interval '1 millisecond')
         and (hot_wallet is null and (checked_at is not null or get_byte(uuid_send(id), 15) % $5 = any($6::integer[]))
           or hot_wallet = $4)
         and id <> all ($7::uuid[])
       order by checked_at nulls first, id limit $3 for update skip locked),
     w as (update withdrawals set checked_at = now() where id in (select id from taken) returning *)
     select ${pendingColumns}, ${isFound} as "isFound", ${decision} as decision
     from w cross join lateral rules_ruling(w.id) r order by w.id`,
    [network, leaveMs, limit, address, share.of, share.places, without],
  );
}

/**
 * Those of the ids that this wallet may still sign or fail, held by us until the end of the transaction. One
 * that another wallet has ever signed belongs to that wallet.
 */
export async function lockPending(db: Db, address: string, ids: readonly string[]): Promise<PendingRow[]> {
  return db.query<PendingRow & Row>(
    `select ${pendingColumns} from withdrawals w cross join lateral rules_ruling(w.id) r where w.id = any($1::uuid[]) and w.status = 'pending' and not (${isFound})
       and ${suspension} is null and (w.hot_wallet is null or w.hot_wallet = $2)
     order by w.id for update of w skip locked`,
    [ids, address],
  );
}

export async function updateWaiting(
  db: Db,
  waits: readonly { id: string; waitingFor: string }[],
): Promise<void> {
  await db.query(
    `update withdrawals w set waiting_for = v.waiting_for
     from unnest($1::uuid[], $2::text[]) v (id, waiting_for)
     where w.id = v.id and w.status = 'pending' and w.waiting_for is distinct from v.waiting_for`,
    [waits.map(({ id }) => id), waits.map(({ waitingFor }) => waitingFor)],
  );
}

/** Another wallet may look at these at once; `leaveMs` as in the claim. */
export async function updatePassedOn(db: Db, ids: readonly string[], leaveMs: number): Promise<void> {
  await db.query(
    `update withdrawals set checked_at = now() - ($2 + 1) * interval '1 millisecond'
     where id = any($1::uuid[]) and status = 'pending' and hot_wallet is null`,
    [ids, leaveMs],
  );
}

/** Marks what waits for a wallet; with `isForAll`, also what no wallet has signed. */
export async function updateAllWaiting(
  db: Db,
  wait: { network: string; address: string; isForAll: boolean; waitingFor: string },
): Promise<void> {
  const whose = {
    where: 'hot_wallet = $5 or $6 and hot_wallet is null',
    values: [wait.address, wait.isForAll],
  };
  await markWaiting(db, wait, whose);
}

/** Marks what only a wallet may pay whose key is not in the settings. */
export async function updateWithoutKey(
  db: Db,
  { network, addresses }: { network: string; addresses: readonly string[] },
): Promise<void> {
  const whose = { where: 'hot_wallet <> all ($5::text[])', values: [addresses] };
  await markWaiting(db, { network, waitingFor: walletKey }, whose);
}

/**
 * Writes why no wallet can look at pending withdrawals, some at a time. What people decide comes first, as in
 * the claim: it is looked up for new rows, and again for those that wait for it. If an approval were
 * overwritten, it would be asked for twice and not expire.
 */
async function markWaiting(
  db: Db,
  { network, waitingFor }: { network: string; waitingFor: string },
  whose: { where: string; values: unknown[] },
): Promise<void> {
  await db.query(
    `with due as not materialized (
       select id, waiting_for, checked_at from withdrawals
       where status = 'pending' and network = $1 and (${whose.where}) and waiting_for is distinct from $2),
     plain as materialized (
       select id from due where waiting_for is not null and not (${isDecidedInSql}) order by id limit 1000),
     taken as materialized (
       select id from due where waiting_for is null
         or (${isDecidedInSql}) and (checked_at is null or checked_at < now() - $3 * interval '1 millisecond')
       order by checked_at nulls first, id limit $4),
     judged as materialized (
       select id, null as decision from plain
       union all
       select w.id, case when not (${isFound}) then (select ${decision} from rules_ruling(w.id) r) end
       from taken join withdrawals w on w.id = taken.id)
     update withdrawals w set waiting_for = coalesce(j.decision, $2),
       checked_at = case when j.decision is null then w.checked_at else now() end
     from judged j where w.id = j.id and w.status = 'pending'`,
    [network, waitingFor, recheckMs, turnMax, ...whose.values],
  );
}

/** Waits for the key of the wallet that has signed it once. */
const walletKey = 'wallet key';

export async function hasPending(db: Db, network: string): Promise<boolean> {
  const [row] = await db.query<{ some: boolean }>(
    `select exists (select from withdrawals where status = 'pending' and network = $1) as some`,
    [network],
  );
  return row!.some;
}

/** By what pending withdrawals wait for; of `limit` of them, or of all. */
export async function countWaiting(
  db: Db,
  limit: number | null = null,
): Promise<{ network: string; waitingFor: string; count: bigint }[]> {
  return db.query<{ network: string; waitingFor: string; count: bigint }>(
    `select network, waiting_for as "waitingFor", count(*) as count
     from (select network, waiting_for from withdrawals where status = 'pending' limit $1::bigint) few
     where waiting_for is not null group by network, waiting_for`,
    [limit],
  );
}
