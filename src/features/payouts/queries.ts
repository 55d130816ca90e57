import type { Db, Row } from '#platform/db/db';

export interface QueuedRow {
  id: string;
  userId: string;
  currency: string;
  amount: bigint;
}

/** Rows that another worker has are left to it, and those of accounts that are known to be locked to a later turn. */
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
}

/** Every transaction of a withdrawal carries the same mark, a replacement with higher fees too. */
const keyMark = `case when w.idempotency_key is null
    then withdrawal_facts_mark(w.partner_id, w.user_id, w.network, w.token_address, w.to_address, w.amount)
    else withdrawal_key_mark(w.partner_id, w.idempotency_key) end as "keyMark"`;

const pendingColumns = `w.id, w.user_id as "userId", w.currency, w.decimals, w.token_address as "tokenAddress",
  w.to_address as "toAddress", w.amount, ${keyMark}`;

/** What was found paid on chain is bound to that payment, and never held or signed again. */
const notFoundPaid = 'not exists (select from found_payments f where f.withdrawal_id = withdrawals.id)';

export interface ClaimedRow extends PendingRow {
  /** A payment of it, or under its idempotency key, was found on chain: it is bound to that payment, or waits for an operator. */
  isFound: boolean;
}

const isFound = `exists (select from found_payments f where f.withdrawal_id = w.id) or exists (select from found_payments f
    where w.idempotency_key is not null and f.key_mark = withdrawal_key_mark(w.partner_id, w.idempotency_key))`;

/**
 * Takes pending withdrawals to check, which other workers leave alone for `leaveMs`: nothing to give back if we die. Those that
 * were looked at longest ago come first, else many that wait for one token would keep all behind them from their turn.
 */
export async function claimPending(
  db: Db,
  { network, leaveMs, limit }: { network: string; leaveMs: number; limit: number },
): Promise<ClaimedRow[]> {
  return db.query<ClaimedRow & Row>(
    `with taken as (
       select id from withdrawals
       where status = 'pending' and network = $1
         and (checked_at is null or checked_at < now() - $2 * interval '1 millisecond')
       order by checked_at nulls first, id limit $3 for update skip locked),
     w as (update withdrawals set checked_at = now() where id in (select id from taken) returning *)
     select ${pendingColumns}, ${isFound} as "isFound" from w order by w.id`,
    [network, leaveMs, limit],
  );
}

/** Those of the ids that are still pending, held by us until the end of the transaction. */
export async function lockPending(db: Db, ids: readonly string[]): Promise<PendingRow[]> {
  return db.query<PendingRow & Row>(
    `select ${pendingColumns} from withdrawals w where w.id = any($1::uuid[]) and w.status = 'pending' and not (${isFound})
     order by w.id for update skip locked`,
    [ids],
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

/** Marks what waits on a network, a thousand at a time, so that whoever looks sees why. */
export async function updateAllWaiting(db: Db, network: string, waitingFor: string): Promise<void> {
  await db.query(
    `update withdrawals set waiting_for = $2
     where id in (select id from withdrawals
       where status = 'pending' and network = $1 and waiting_for is distinct from $2 order by id limit 1000)`,
    [network, waitingFor],
  );
}

export async function hasPending(db: Db, network: string): Promise<boolean> {
  const [row] = await db.query<{ some: boolean }>(
    `select exists (select from withdrawals where status = 'pending' and network = $1) as some`,
    [network],
  );
  return row!.some;
}

export interface SignerRow {
  network: string;
  address: string;
  nextNonce: bigint;
  haltedAt: Date | null;
  haltedReason: string | null;
  /** The database server on which the lane last signed, and the one that answers now: `cluster/timeline`. */
  server: string | null;
  serverNow: string;
  /** Nonces below are being filled, as long as the server is this one. */
  fillBelow: bigint | null;
  fillServer: string | null;
}

const signerColumns = `network, address, next_nonce as "nextNonce", halted_at as "haltedAt", halted_reason as "haltedReason",
  server, database_server() as "serverNow", fill_below as "fillBelow", fill_server as "fillServer"`;

export async function selectSigner(db: Db, network: string, address: string): Promise<SignerRow | undefined> {
  const [row] = await db.query<SignerRow & Row>(
    `select ${signerColumns} from payout_signers where network = $1 and address = $2`,
    [network, address],
  );
  return row;
}

/** Of one network, or of all. */
export async function selectSigners(db: Db, network?: string): Promise<SignerRow[]> {
  return db.query<SignerRow & Row>(
    `select ${signerColumns} from payout_signers where $1::text is null or network = $1 order by network, address`,
    [network ?? null],
  );
}

/**
 * The lane's lock: its holder assigns nonces, for the length of a transaction. Its commit waits for the disk and for synchronous
 * standbys, whatever the server's default: a signed transaction that is sent must not be lost.
 */
export async function lockSigner(db: Db, network: string, address: string): Promise<SignerRow | undefined> {
  const [row] = await db.query<SignerRow & Row>(
    `select ${signerColumns}, case when current_setting('synchronous_commit') not in ('on', 'remote_apply')
       then set_config('synchronous_commit', 'on', true) end as durability
     from payout_signers where network = $1 and address = $2 for update`,
    [network, address],
  );
  return row;
}

/** Nothing if another worker was first. */
export async function insertSigner(
  db: Db,
  {
    network,
    address,
    haltedReason,
    now,
  }: { network: string; address: string; haltedReason?: string; now: Date },
): Promise<void> {
  await db.query(
    `insert into payout_signers (network, address, next_nonce, halted_at, halted_reason, created_at)
     values ($1, $2, 0, case when $3::text is null then null else $4::timestamptz end, $3, $4)
     on conflict do nothing`,
    [network, address, haltedReason ?? null, now],
  );
}

/** Begins the reason for which the treasury halts wallets. One that asks for `wallets.recover` takes its place. */
export const shortfallReason = 'the treasury lacks ';

/** True if it was not halted before, or for a shortfall that this reason takes the place of. */
export async function updateHalted(
  db: Db,
  halt: { network: string; address: string; reason: string; now: Date; isOverShortfall?: boolean },
): Promise<boolean> {
  const { network, address, reason, now, isOverShortfall = false } = halt;
  const rows = await db.query(
    `update payout_signers set halted_at = $4, halted_reason = $3
     where network = $1 and address = $2 and (halted_at is null or $5 and starts_with(halted_reason, $6)) returning 1`,
    [network, address, reason, now, isOverShortfall, shortfallReason],
  );
  return rows.length > 0;
}

/** Goes on unless there is still a reason to be halted. A server that it was told about is known from then on. */
export async function updateResumed(
  db: Db,
  wallet: { network: string; address: string; nextNonce: bigint; haltedReason?: string },
): Promise<void> {
  const { network, address, nextNonce, haltedReason } = wallet;
  await db.query(
    `update payout_signers set next_nonce = $3, halted_reason = $4, server = database_server(),
       fill_below = null, fill_server = null,
       halted_at = case when $4::text is null then null else halted_at end
     where network = $1 and address = $2`,
    [network, address, nextNonce, haltedReason ?? null],
  );
}

/** Nonces of void slots that no transaction has ever used or was sent for. */
export async function selectFreeNonces(
  db: Db,
  { network, address }: { network: string; address: string },
  limit?: number,
): Promise<bigint[]> {
  const rows = await db.query<{ nonce: bigint }>(
    `select nonce from payout_slots
     where network = $1 and address = $2 and state = 'void' and mined_hash is null
     order by nonce limit $3 for update`,
    [network, address, limit ?? null],
  );
  return rows.map(({ nonce }) => nonce);
}

/** Since when settled payouts of the wallet are gone from the chain, as far as each look has shown. */
export async function updateGone(
  db: Db,
  { network, address, isGone, now }: { network: string; address: string; isGone: boolean; now: Date },
): Promise<Date | null> {
  const rows = await db.query<{ since: Date | null }>(
    `with changed as (update payout_signers set gone_since = case when $3 then $4::timestamptz end
       where network = $1 and address = $2 and (gone_since is not null) <> $3 returning gone_since)
     select coalesce((select gone_since from changed), case when $3 then gone_since end) as since
     from payout_signers where network = $1 and address = $2`,
    [network, address, isGone, now],
  );
  return rows[0]?.since ?? null;
}

/** What was signed from a nonce on, by token: it may still leave the wallet. */
export async function selectSignedTotals(
  db: Db,
  { network, address, from }: { network: string; address: string; from: number },
): Promise<{ tokenAddress: string; amount: bigint; count: bigint }[]> {
  return db.query<{ tokenAddress: string; amount: bigint; count: bigint }>(
    `select w.token_address as "tokenAddress", sum(w.amount) as amount, count(*) as count
     from payout_slots s join withdrawals w on w.id = s.withdrawal_id
     where s.network = $1 and s.address = $2 and s.nonce >= $3 group by w.token_address`,
    [network, address, from],
  );
}

export async function countUnmined(db: Db, network: string, address: string): Promise<number> {
  const [row] = await db.query<{ count: number }>(
    `select count(*)::integer as count from payout_slots s join withdrawals w on w.id = s.withdrawal_id
     where s.network = $1 and s.address = $2 and s.state = 'open' and w.transfer_status <> 'mined'`,
    [network, address],
  );
  return row!.count;
}

export interface SignedPayout {
  withdrawalId: string;
  nonce: bigint;
  hash: string;
  raw: Buffer;
  maxFeePerGas: bigint;
  maxPriorityFeePerGas: bigint;
}

/** Everything about new nonces at once: slots, bytes, the counter and the withdrawals' state. */
export async function insertSigned(
  db: Db,
  { network, address, now }: { network: string; address: string; now: Date },
  payouts: readonly SignedPayout[],
): Promise<void> {
  const nonces = payouts.map(({ nonce }) => nonce);
  const ids = payouts.map(({ withdrawalId }) => withdrawalId);
  await db.query(
    `insert into payout_slots (network, address, nonce, withdrawal_id, opened_at)
     select $1, $2, nonce, id, $5 from unnest($3::bigint[], $4::uuid[]) v (nonce, id)
     on conflict (network, address, nonce) do update set withdrawal_id = excluded.withdrawal_id, state = 'open',
       settled_at = null, opened_at = excluded.opened_at where payout_slots.state = 'void'`,
    [network, address, nonces, ids, now],
  );
  await insertAttempts(db, { network, address, now }, payouts);
  await db.query(
    `update payout_signers set next_nonce = greatest(next_nonce, $3), server = database_server()
     where network = $1 and address = $2`,
    [network, address, nonces.at(-1)! + 1n],
  );
  await updateProcessing(db, ids, now);
}

export async function updateProcessing(db: Db, ids: readonly string[], now: Date): Promise<void> {
  await db.query(
    `update withdrawals set status = 'processing', transfer_status = 'signed', waiting_for = null,
       updated_at = greatest(updated_at, $2)
     where id = any($1::uuid[])`,
    [ids, now],
  );
}

/** `isSent`: found on chain, so somebody sent them; otherwise the used nonce would be taken for a stranger's. */
export async function insertAttempts(
  db: Db,
  {
    network,
    address,
    now,
    isSent = false,
  }: { network: string; address: string; now: Date; isSent?: boolean },
  attempts: readonly Omit<SignedPayout, 'withdrawalId'>[],
): Promise<void> {
  await db.query(
    `insert into payout_attempts (hash, network, address, nonce, raw, max_fee_per_gas, max_priority_fee_per_gas, signed_at,
       sent_at, sends)
     select hash, $1, $2, nonce, raw, fee, tip, $3, case when $9 then now() end, case when $9 then 1 else 0 end
     from unnest($4::text[], $5::bigint[], $6::bytea[], $7::numeric[], $8::numeric[]) v (hash, nonce, raw, fee, tip)`,
    [
      network,
      address,
      now,
      attempts.map(({ hash }) => hash),
      attempts.map(({ nonce }) => nonce),
      attempts.map(({ raw }) => raw),
      attempts.map(({ maxFeePerGas }) => maxFeePerGas),
      attempts.map(({ maxPriorityFeePerGas }) => maxPriorityFeePerGas),
      isSent,
    ],
  );
}

export interface UnsentAttempt {
  /** Nothing was ever sent for its nonce. */
  isFirst: boolean;
  hash: string;
  nonce: bigint;
  raw: Buffer;
}

/**
 * Takes the newest bytes of each nonce that is neither mined nor sent lately. Marked as sent before they are: if we die in
 * between, they are sent a moment later by whoever is there. Lateral, because as a join it read the lane's whole past for each
 * nonce where PostgreSQL had no statistics yet.
 */
export async function claimUnsent(
  db: Db,
  {
    network,
    address,
    resendMs,
    limit,
  }: { network: string; address: string; resendMs: number; limit: number },
): Promise<UnsentAttempt[]> {
  return db.query<UnsentAttempt & Row>(
    `with newest as (
       select a.hash, a.sent_at, a.sends
       from payout_slots s
       join withdrawals w on w.id = s.withdrawal_id and w.transfer_status <> 'mined'
       cross join lateral (select * from payout_attempts a
         where a.network = s.network and a.address = s.address and a.nonce = s.nonce and not a.is_void
         order by a.max_fee_per_gas desc limit 1) a
       where s.network = $1 and s.address = $2 and s.state = 'open'),
     due as (
       select hash from payout_attempts
       where hash = any (array(select hash from newest
         where sent_at is null or sent_at < now() - $3 * least(sends, 3) * interval '1 millisecond'))
       order by nonce limit $4 for update skip locked),
     sent as (
       update payout_attempts a set sent_at = now(), sends = sends + 1
       where hash = any (array(select hash from due))
         and (sent_at is null or sent_at < now() - $3 * least(sends, 3) * interval '1 millisecond')
       returning a.hash, a.nonce, a.raw, a.sends)
     select s.hash, s.nonce, s.raw, s.sends = 1 and not exists (select from payout_attempts o
         where o.network = $1 and o.address = $2 and o.nonce = s.nonce and o.hash <> s.hash and o.sends > 0 and not o.is_void
         offset 0) as "isFirst"
     from sent s order by s.nonce`,
    [network, address, resendMs, limit],
  );
}

/** What was claimed is not sent after all. That nothing was ever sent is what makes a nonce free, so it must be told. */
export async function updateNotSent(db: Db, claimed: readonly UnsentAttempt[]): Promise<void> {
  await db.query(
    'update payout_attempts set sends = sends - 1, sent_at = null where hash = any($1::text[])',
    [claimed.map(({ hash }) => hash)],
  );
}

export async function updateAnswers(
  db: Db,
  answers: readonly { hash: string; answer: string; isKnown: boolean }[],
  now: Date,
): Promise<void> {
  await db.query(
    `update payout_attempts a set last_answer = left(v.answer, 200)
     from unnest($1::text[], $2::text[]) v (hash, answer) where a.hash = v.hash`,
    [answers.map(({ hash }) => hash), answers.map(({ answer }) => answer)],
  );
  await db.query(
    `update withdrawals w set transfer_status = 'broadcast', updated_at = greatest(updated_at, $2)
     from payout_attempts a join payout_slots s on s.network = a.network and s.address = a.address and s.nonce = a.nonce
     where a.hash = any($1::text[]) and w.id = s.withdrawal_id and w.status = 'processing' and w.transfer_status = 'signed'`,
    [answers.filter(({ isKnown }) => isKnown).map(({ hash }) => hash), now],
  );
}

/** A nonce and the transfer that it was given to. */
export interface PaidSlot {
  nonce: bigint;
  withdrawalId: string;
  decimals: number;
  tokenAddress: string;
  toAddress: string;
  amount: bigint;
  attempts: readonly { hash: string }[];
}

export interface OpenSlot extends PaidSlot {
  userId: string;
  recipientUserId: string | null;
  currency: string;
  keyMark: Buffer;
  /** What ledgers say of it, where it is not just a withdrawal. */
  description: string | null;
  transferStatus: string;
  missingSince: Date | null;
  /** The lane was halted for it once. */
  isReported: boolean;
  transactionHash: string | null;
  /** Newest first. */
  attempts: { hash: string; maxFeePerGas: bigint; maxPriorityFeePerGas: bigint; signedAt: Date }[];
}

/** Nonces below `usual` are decided; those of amounts above that of `large`, in whole units, only below its count. */
export interface Decided {
  usual: number;
  large?: { amount: string; count: number };
}

/**
 * Open nonces from `from` up to but not including `below`, in order. With `decided`, those that were seen in a block and are not
 * decided come last: they only wait, and many of them must not hide what there is to do behind them.
 */
export async function selectOpenSlots(
  db: Db,
  range: {
    network: string;
    address: string;
    from: number;
    below: number;
    limit: number;
    decided?: Decided;
  },
): Promise<OpenSlot[]> {
  const { network, address, from, below, limit, decided } = range;
  const { usual, large } = decided ?? { usual: Number.MAX_SAFE_INTEGER };
  const rows = await db.query<Omit<OpenSlot, 'attempts'> & { attempts: AttemptJson[] }>(
    `select s.nonce, s.withdrawal_id as "withdrawalId", s.missing_since as "missingSince",
       s.reported_at is not null as "isReported", w.transaction_hash as "transactionHash", w.user_id as "userId",
       w.recipient_user_id as "recipientUserId", w.currency, w.decimals, w.token_address as "tokenAddress",
       w.to_address as "toAddress", w.amount, w.description, w.transfer_status as "transferStatus", ${keyMark},
       (select jsonb_agg(jsonb_build_object('hash', a.hash, 'maxFeePerGas', a.max_fee_per_gas::text,
          'maxPriorityFeePerGas', a.max_priority_fee_per_gas::text, 'signedAt', a.signed_at) order by a.max_fee_per_gas desc)
        from payout_attempts a
        where a.network = s.network and a.address = s.address and a.nonce = s.nonce and not a.is_void) as attempts
     from payout_slots s join withdrawals w on w.id = s.withdrawal_id
     where s.network = $1 and s.address = $2 and s.state = 'open' and s.nonce >= $3 and s.nonce < $4
     order by (w.transfer_status = 'mined' and s.nonce >= case
         when w.amount > $7::numeric * 10::numeric ^ w.decimals then $8::bigint else $6::bigint end), s.nonce
     limit $5`,
    [network, address, from, below, limit, usual, large?.amount ?? null, large?.count ?? null],
  );
  return rows.map(({ attempts, ...slot }) => ({ ...slot, attempts: attempts.map(readAttempt) }));
}

/** Every open nonce of a lane; `unminedMax` and the finality of its network bound how many there are. */
export function selectAllOpenSlots(db: Db, network: string, address: string): Promise<OpenSlot[]> {
  return selectOpenSlots(db, { network, address, from: 0, below: Number.MAX_SAFE_INTEGER, limit: 100_000 });
}

interface AttemptJson {
  hash: string;
  maxFeePerGas: string;
  maxPriorityFeePerGas: string;
  signedAt: string;
}

const readAttempt = ({ hash, maxFeePerGas, maxPriorityFeePerGas, signedAt }: AttemptJson) => ({
  hash,
  maxFeePerGas: BigInt(maxFeePerGas),
  maxPriorityFeePerGas: BigInt(maxPriorityFeePerGas),
  signedAt: new Date(signedAt),
});

export async function selectOpenBounds(
  db: Db,
  network: string,
  address: string,
): Promise<{ lowest: bigint; highest: bigint } | undefined> {
  const [row] = await db.query<{ lowest: bigint | null; highest: bigint | null }>(
    `select min(nonce) as lowest, max(nonce) as highest from payout_slots
     where network = $1 and address = $2 and state = 'open'`,
    [network, address],
  );
  return row?.lowest == null || row.highest === null
    ? undefined
    : { lowest: row.lowest, highest: row.highest };
}

/**
 * Bytes of the newest open nonces, for a look at whether they are still what was signed; before each send all are looked at.
 * Lateral for the reason that `claimUnsent` is: as a join it took four seconds for 400 open nonces after 4,000 paid ones.
 */
export async function selectOpenAttempts(
  db: Db,
  network: string,
  address: string,
): Promise<{ hash: string; raw: Buffer }[]> {
  return db.query<{ hash: string; raw: Buffer }>(
    `select a.hash, a.raw from payout_slots s
     cross join lateral (select o.hash, o.raw from payout_attempts o
       where o.network = s.network and o.address = s.address and o.nonce = s.nonce and not o.is_void offset 0) a
     where s.network = $1 and s.address = $2 and s.state = 'open' order by s.nonce desc limit 1000`,
    [network, address],
  );
}

/** The nonce for which a transaction was signed. */
export async function selectNonceOf(
  db: Db,
  { network, address, hash }: { network: string; address: string; hash: string },
): Promise<bigint | undefined> {
  const [row] = await db.query<{ nonce: bigint }>(
    'select nonce from payout_attempts where hash = $3 and network = $1 and address = $2',
    [network, address, hash],
  );
  return row?.nonce;
}

/** A nonce that is settled. Its hashes are all that were signed, and the one that settled it. */
export interface SettledPayout extends PaidSlot {
  status: 'completed' | 'failed';
  minedHash: string;
  settledAt: Date;
}

const settledPayouts = (which: string) => `
  select s.nonce, s.withdrawal_id as "withdrawalId", s.mined_hash as "minedHash", s.settled_at as "settledAt", w.status,
    w.decimals, w.token_address as "tokenAddress", w.to_address as "toAddress", w.amount,
    (select jsonb_agg(jsonb_build_object('hash', h.hash)) from (select s.mined_hash as hash union select a.hash
       from payout_attempts a where a.network = s.network and a.address = s.address and a.nonce = s.nonce) h) as attempts
  from (${which}) s join withdrawals w on w.id = s.withdrawal_id order by s.nonce`;

const latestSettled = settledPayouts(
  `select * from payout_slots where network = $1 and address = $2 and state = 'final' order by nonce desc limit $3`,
);

/** The last nonces of a wallet that were settled, in order. */
export async function selectLatestSettled(
  db: Db,
  { network, address, limit }: { network: string; address: string; limit: number },
): Promise<SettledPayout[]> {
  return db.query<SettledPayout & Row>(latestSettled, [network, address, limit]);
}

const settledFrom = settledPayouts(
  `select * from payout_slots where network = $1 and address = $2 and state = 'final' and nonce >= $3 order by nonce limit $4`,
);

export async function selectSettledFrom(
  db: Db,
  { network, address, from, limit }: { network: string; address: string; from: number; limit: number },
): Promise<SettledPayout[]> {
  return db.query<SettledPayout & Row>(settledFrom, [network, address, from, limit]);
}

export async function selectRaw(db: Db, hashes: readonly string[]): Promise<ReadonlyMap<string, Buffer>> {
  const rows = await db.query<{ hash: string; raw: Buffer }>(
    'select hash, raw from payout_attempts where hash = any($1::text[])',
    [hashes],
  );
  return new Map(rows.map(({ hash, raw }) => [hash, raw]));
}

/** Whether an operator has let a wallet go on that was halted for this very reason. */
export async function selectWasResumed(
  db: Db,
  { network, address, reason }: { network: string; address: string; reason: string },
): Promise<boolean> {
  const rows = await db.query(
    `select 1 from audit_log where subject = $1 and action = 'wallets.resume' and before ->> 'haltedReason' = $2 limit 1`,
    [`wallet:${network}:${address}`, reason],
  );
  return rows.length > 0;
}

/** Those of the nonces that nobody has settled, held by us until the end of the transaction. */
export async function lockOpenSlots(
  db: Db,
  { network, address, nonces }: { network: string; address: string; nonces: readonly bigint[] },
): Promise<ReadonlySet<bigint>> {
  const rows = await db.query<{ nonce: bigint }>(
    `select nonce from payout_slots
     where network = $1 and address = $2 and nonce = any($3::bigint[]) and state = 'open'
     order by nonce for update skip locked`,
    [network, address, nonces],
  );
  return new Set(rows.map(({ nonce }) => nonce));
}

export interface SettledSlot {
  nonce: bigint;
  withdrawalId: string;
  minedHash: string;
  status: 'completed' | 'failed';
  transferStatus: string;
  errorMessage: string | null;
}

export async function updateSettled(
  db: Db,
  { network, address, now }: { network: string; address: string; now: Date },
  settled: readonly SettledSlot[],
): Promise<void> {
  await db.query(
    `update payout_slots s set state = 'final', mined_hash = v.hash, settled_at = $3, missing_since = null
     from unnest($4::bigint[], $5::text[]) v (nonce, hash)
     where s.network = $1 and s.address = $2 and s.nonce = v.nonce and s.state = 'open'`,
    [network, address, now, settled.map(({ nonce }) => nonce), settled.map(({ minedHash }) => minedHash)],
  );
  await db.query(
    `update withdrawals w set status = v.status, transfer_status = v.transfer_status, transaction_hash = v.hash,
       error_message = v.message, updated_at = greatest(updated_at, $1)
     from unnest($2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[]) v (id, status, transfer_status, hash, message)
     where w.id = v.id`,
    [
      now,
      settled.map(({ withdrawalId }) => withdrawalId),
      settled.map(({ status }) => status),
      settled.map(({ transferStatus }) => transferStatus),
      settled.map(({ minedHash }) => minedHash),
      settled.map(({ errorMessage }) => errorMessage),
    ],
  );
}

/** Seen in a block, or no longer: a look that nothing depends on. How many were seen and had not been. */
export async function updateSeen(
  db: Db,
  seen: readonly { withdrawalId: string; minedHash: string | null }[],
  now: Date,
): Promise<number> {
  const rows = await db.query<{ hash: string | null }>(
    `update withdrawals w set transaction_hash = v.hash, updated_at = greatest(updated_at, $3),
       transfer_status = case when v.hash is null then 'broadcast' else 'mined' end
     from unnest($1::uuid[], $2::text[]) v (id, hash)
     where w.id = v.id and w.status = 'processing' and w.transaction_hash is distinct from v.hash
     returning v.hash`,
    [seen.map(({ withdrawalId }) => withdrawalId), seen.map(({ minedHash }) => minedHash), now],
  );
  return rows.filter(({ hash }) => hash !== null).length;
}

/** What was seen in a block and lies at or above the wallet's count was in a block that is gone. */
export async function updateUnseen(
  db: Db,
  { network, address, from }: { network: string; address: string; from: number },
  now: Date,
): Promise<void> {
  await db.query(
    `update withdrawals w set transaction_hash = null, transfer_status = 'broadcast', updated_at = greatest(updated_at, $4)
     from payout_slots s
     where s.network = $1 and s.address = $2 and s.state = 'open' and s.nonce >= $3
       and w.id = s.withdrawal_id and w.status = 'processing' and w.transfer_status = 'mined'`,
    [network, address, from, now],
  );
}

/** Notes since when nothing of ours is found at a used nonce, or that something was. */
export async function updateMissing(
  db: Db,
  { network, address }: { network: string; address: string },
  nonces: readonly bigint[],
  since: Date | null,
): Promise<void> {
  await db.query(
    `update payout_slots set missing_since = case when $4::timestamptz is null then null else coalesce(missing_since, $4) end
     where network = $1 and address = $2 and nonce = any($3::bigint[]) and state = 'open'`,
    [network, address, nonces, since],
  );
}

export async function updateReported(
  db: Db,
  { network, address }: { network: string; address: string },
  nonce: bigint,
  now: Date,
): Promise<void> {
  await db.query(
    `update payout_slots set reported_at = $4 where network = $1 and address = $2 and nonce = $3 and state = 'open'`,
    [network, address, nonce, now],
  );
}

/** How often bytes of a nonce were sent. */
export async function countSends(
  db: Db,
  { network, address, nonce }: { network: string; address: string; nonce: bigint },
): Promise<number> {
  const [row] = await db.query<{ sends: number }>(
    `select coalesce(sum(sends), 0)::integer as sends from payout_attempts
     where network = $1 and address = $2 and nonce = $3 and not is_void`,
    [network, address, nonce],
  );
  return row!.sends;
}

/** The newest bytes of a nonce, if it is still open. */
export async function selectNewestAttempt(
  db: Db,
  { network, address, nonce }: { network: string; address: string; nonce: bigint },
): Promise<string | undefined> {
  const [row] = await db.query<{ hash: string }>(
    `select a.hash from payout_slots s
     join payout_attempts a on a.network = s.network and a.address = s.address and a.nonce = s.nonce
     where s.network = $1 and s.address = $2 and s.nonce = $3 and s.state = 'open' and not a.is_void
     order by a.max_fee_per_gas desc limit 1`,
    [network, address, nonce],
  );
  return row?.hash;
}

export interface PayoutLife {
  address: string;
  nonce: bigint;
  state: string;
  minedHash: string | null;
  openedAt: Date;
  settledAt: Date | null;
  attempts: AttemptLife[];
}

interface AttemptLife {
  hash: string;
  maxFeePerGas: bigint;
  maxPriorityFeePerGas: bigint;
  signedAt: Date;
  sentAt: Date | null;
  sends: number;
  lastAnswer: string | null;
}

export async function showPayout(db: Db, withdrawalId: string): Promise<PayoutLife | undefined> {
  const [slot] = await db.query<Omit<PayoutLife, 'attempts'> & { network: string }>(
    `select network, address, nonce, state, mined_hash as "minedHash", opened_at as "openedAt", settled_at as "settledAt"
     from payout_slots where withdrawal_id = $1`,
    [withdrawalId],
  );
  if (!slot) return undefined;
  const attempts = await db.query<AttemptLife & Row>(
    `select hash, max_fee_per_gas as "maxFeePerGas", max_priority_fee_per_gas as "maxPriorityFeePerGas",
       signed_at as "signedAt", sent_at as "sentAt", sends, last_answer as "lastAnswer"
     from payout_attempts where network = $1 and address = $2 and nonce = $3 and not is_void order by signed_at, hash`,
    [slot.network, slot.address, slot.nonce],
  );
  return { ...slot, attempts };
}

/** The withdrawal that was ever sent under this hash. */
export async function findPaidByHash(db: Db, hash: string): Promise<string | undefined> {
  const [row] = await db.query<{ withdrawalId: string }>(
    `select s.withdrawal_id as "withdrawalId" from payout_attempts a
     join payout_slots s on s.network = a.network and s.address = a.address and s.nonce = a.nonce
     where a.hash = $1 and not a.is_void`,
    [hash],
  );
  return row?.withdrawalId;
}

export interface OwnPayment {
  recipientUserId: string | null;
}

/**
 * Those of the transactions that were signed to pay a withdrawal: to which user settling posts it; null where it is posted to
 * nobody. A hash is stored before its bytes are sent, so none that is on chain is missing.
 */
export async function selectOwnPayments(
  db: Db,
  network: string,
  hashes: readonly string[],
): Promise<ReadonlyMap<string, OwnPayment>> {
  const rows = await db.query<OwnPayment & { hash: string } & Row>(
    `select a.hash, w.recipient_user_id as "recipientUserId" from payout_attempts a
     join payout_slots s on s.network = a.network and s.address = a.address and s.nonce = a.nonce
     join withdrawals w on w.id = s.withdrawal_id
     where a.network = $1 and a.hash = any($2::text[]) and not a.is_void`,
    [network, hashes],
  );
  return new Map(rows.map(({ hash, ...payment }) => [hash, payment]));
}

export interface LaneDepth {
  network: string;
  address: string;
  open: bigint;
  oldestSeconds: number;
}

export async function selectLaneDepths(db: Db): Promise<LaneDepth[]> {
  return db.query<LaneDepth & Row>(
    `select g.network, g.address, count(s.nonce) as open,
       coalesce(extract(epoch from now() - min(s.opened_at)), 0)::double precision as "oldestSeconds"
     from payout_signers g
     left join payout_slots s on s.network = g.network and s.address = g.address and s.state = 'open'
     group by g.network, g.address`,
  );
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

/** The deployment of this database, which is this one if there was none. */
export async function insertDeployment(db: Db, id: string, now: Date): Promise<string> {
  await db.query('insert into deployment (id, bound_at) values ($1, $2) on conflict do nothing', [id, now]);
  const [row] = await db.query<{ id: string }>('select id from deployment');
  return row!.id;
}

/** Says which it was before. */
export async function updateDeployment(db: Db, id: string, now: Date): Promise<string | null> {
  const [former] = await db.query<{ id: string }>('select id from deployment for update');
  await db.query(
    `insert into deployment (id, bound_at) values ($1, $2)
     on conflict (is_only) do update set id = excluded.id, bound_at = excluded.bound_at where deployment.id <> excluded.id`,
    [id, now],
  );
  return former?.id ?? null;
}

/** Settings without which a commit that was answered may be lost in a crash. */
export async function selectUnsafeSettings(db: Db): Promise<string[]> {
  const rows = await db.query<{ name: string }>(
    `select name from pg_settings
     where name in ('fsync', 'full_page_writes', 'synchronous_commit') and setting = 'off' order by name`,
  );
  return rows.map(({ name }) => name);
}
