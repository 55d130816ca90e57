import type { Db } from '#platform/db/db';
import { keyMark } from './pending.ts';

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

/**
 * The first nonce of a wallet for which this database has sent nothing: the next one, a free one, or one
 * whose bytes were not sent yet. A send is stored before it is made, so a chain that is past it knows more.
 */
export async function selectFirstUnsent(
  db: Db,
  { network, address }: { network: string; address: string },
): Promise<bigint> {
  const [row] = await db.query<{ nonce: bigint }>(
    `select least(g.next_nonce,
       (select min(nonce) from payout_slots where network = $1 and address = $2 and state = 'void' and mined_hash is null),
       (select min(s.nonce) from payout_slots s where s.network = $1 and s.address = $2 and s.state = 'open'
          and not exists (select from payout_attempts a where a.network = s.network and a.address = s.address
            and a.nonce = s.nonce and a.sends > 0 and not a.is_void))) as nonce
     from payout_signers g where g.network = $1 and g.address = $2`,
    [network, address],
  );
  return row?.nonce ?? 0n;
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

/** What was looked at before; without attempts, none of them decides. */
export type LookedAt = Pick<OpenSlot, 'nonce' | 'withdrawalId'> & Partial<Pick<PaidSlot, 'attempts'>>;

/** Whether a nonce is still open for the withdrawal, and no other bytes for it were found since the look. */
export async function selectIsOpen(
  db: Db,
  { network, address }: { network: string; address: string },
  { nonce, withdrawalId, attempts }: LookedAt,
): Promise<boolean> {
  const rows = await db.query(
    `select 1 from payout_slots s
     where s.network = $1 and s.address = $2 and s.nonce = $3 and s.withdrawal_id = $4 and s.state = 'open'
       and ($5::text[] is null or not exists (select from payout_attempts a
         where a.network = $1 and a.address = $2 and a.nonce = $3 and not a.is_void and a.hash <> all ($5)))`,
    [network, address, nonce, withdrawalId, attempts?.map(({ hash }) => hash) ?? null],
  );
  return rows.length > 0;
}

export async function countUnmined(db: Db, network: string, address: string): Promise<number> {
  const [row] = await db.query<{ count: number }>(
    `select count(*)::integer as count from payout_slots s join withdrawals w on w.id = s.withdrawal_id
     where s.network = $1 and s.address = $2 and s.state = 'open' and w.transfer_status <> 'mined'`,
    [network, address],
  );
  return row!.count;
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

/**
 * Nonces below `usual` are decided; those of amounts above that of `large`, in whole units, only below its
 * count.
 */
export interface Decided {
  usual: number;
  large?: { amount: string; count: number };
}

/**
 * Open nonces from `from` up to but not including `below`, in order. With `decided`, those that were seen in
 * a block and are not decided come last: they only wait, and many of them must not hide what there is to do
 * behind them.
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
