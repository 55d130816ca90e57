import type { Db, Row } from '#platform/db/db';
import type { PaidSlot } from './slots.ts';

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

/** The transaction that settled the highest nonce of a wallet. */
export async function selectLastMined(
  db: Db,
  { network, address }: { network: string; address: string },
): Promise<string | undefined> {
  const [row] = await db.query<{ hash: string }>(
    `select mined_hash as hash from payout_slots where network = $1 and address = $2 and state = 'final'
     order by nonce desc limit 1`,
    [network, address],
  );
  return row?.hash;
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

/**
 * What was seen in a block and lies at or above the wallet's count was in a block that is gone. Not what
 * another worker has seen since this turn began: its look at the chain is newer than ours. Undone, it would
 * be sent again, and count as in no block. A later instant is of a clock that is wrong.
 */
export async function updateUnseen(
  db: Db,
  { network, address, from }: { network: string; address: string; from: number },
  now: Date,
): Promise<void> {
  await db.query(
    `update withdrawals w set transaction_hash = null, transfer_status = 'broadcast', updated_at = greatest(updated_at, $4)
     from payout_slots s
     where s.network = $1 and s.address = $2 and s.state = 'open' and s.nonce >= $3
       and w.id = s.withdrawal_id and w.status = 'processing' and w.transfer_status = 'mined'
       and (w.updated_at <= $4 or w.updated_at > $4 + interval '1 minute')`,
    [network, address, from, now],
  );
}

export interface SettledInHour {
  network: string;
  address: string;
  hour: Date;
  count: bigint;
}

/** Settled payouts by wallet and hour since an instant, among the 20,000 newest of each wallet. */
export async function countSettledByHour(db: Db, since: Date): Promise<SettledInHour[]> {
  return db.query<SettledInHour & Row>(
    `select s.network, s.address, date_trunc('hour', f.settled_at, 'UTC') as hour, count(*) as count
     from payout_signers s cross join lateral (
       select state, settled_at from payout_slots where network = s.network and address = s.address
       order by nonce desc limit 20000) f
     where f.state = 'final' and f.settled_at >= $1
     group by s.network, s.address, hour order by hour, s.network, s.address`,
    [since],
  );
}

export interface LatencyInHour {
  hour: Date;
  median: number;
  slowest: number;
}

/**
 * Seconds from the creation of withdrawals to their settlement, by its hour: the median, and what 95 of 100
 * stay below. Of each wallet the 2,000 newest count.
 */
export async function selectLatencies(db: Db, since: Date): Promise<LatencyInHour[]> {
  return db.query<LatencyInHour & Row>(
    `select date_trunc('hour', f.settled_at, 'UTC') as hour, percentile_cont(0.5) within group (order by f.seconds) as median,
       percentile_cont(0.95) within group (order by f.seconds) as slowest
     from payout_signers s cross join lateral (
       select n.settled_at, extract(epoch from n.settled_at
         - (select w.created_at from withdrawals w where w.id = n.withdrawal_id)) as seconds
       from (select withdrawal_id, state, settled_at from payout_slots where network = s.network and address = s.address
         order by nonce desc limit 2000) n
       where n.state = 'final' and n.settled_at >= $1 offset 0) f
     group by 1 order by 1`,
    [since],
  );
}
