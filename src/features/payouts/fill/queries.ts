import type { Fees } from '#adapters/evm';
import type { Db, Row } from '#platform/db/db';

interface LaneName {
  network: string;
  address: string;
}

/** A nonce to use up. */
export interface NonceToFill {
  nonce: bigint;
  /**
   * Bytes of the payout that has this nonce and was sent, or was settled by it: they use up the nonce as
   * well.
   */
  payoutRaw: Buffer | null;
  /** The newest filler. */
  raw: Buffer | null;
  maxFeePerGas: bigint | null;
  maxPriorityFeePerGas: bigint | null;
  signedAt: Date | null;
}

/**
 * Nonces from `from` up to but not including `below`, in order. A payout that was never sent has no bytes
 * here, because its withdrawal may have been paid at another nonce in the lost commits.
 */
export async function selectToFill(
  db: Db,
  { network, address, from, below, limit }: LaneName & { from: bigint; below: bigint; limit: number },
): Promise<NonceToFill[]> {
  return db.query<NonceToFill & Row>(
    `select n.nonce,
       (select a.raw from payout_slots s join payout_attempts a
          on a.network = s.network and a.address = s.address and a.nonce = s.nonce and not a.is_void
        where s.network = $1 and s.address = $2 and s.nonce = n.nonce
          and (s.state = 'open' and a.sends > 0 or s.state = 'final' and a.hash = s.mined_hash)
        order by a.max_fee_per_gas desc limit 1) as "payoutRaw",
       f.raw, f.max_fee_per_gas as "maxFeePerGas", f.max_priority_fee_per_gas as "maxPriorityFeePerGas",
       f.signed_at as "signedAt"
     from generate_series($3::bigint, $4::bigint - 1) n (nonce)
     left join lateral (select * from payout_fillers f where f.network = $1 and f.address = $2 and f.nonce = n.nonce
       order by f.max_fee_per_gas desc limit 1) f on true
     order by n.nonce limit $5`,
    [network, address, from, below, limit],
  );
}

export interface SignedFiller extends Fees {
  nonce: bigint;
  hash: string;
  raw: Buffer;
}

export async function insertFillers(
  db: Db,
  { network, address, now }: LaneName & { now: Date },
  fillers: readonly SignedFiller[],
): Promise<void> {
  await db.query(
    `insert into payout_fillers (hash, network, address, nonce, raw, max_fee_per_gas, max_priority_fee_per_gas, signed_at)
     select hash, $1, $2, nonce, raw, fee, tip, $3
     from unnest($4::text[], $5::bigint[], $6::bytea[], $7::numeric[], $8::numeric[]) v (hash, nonce, raw, fee, tip)
     on conflict (hash) do nothing`,
    [
      network,
      address,
      now,
      fillers.map(({ hash }) => hash),
      fillers.map(({ nonce }) => nonce),
      fillers.map(({ raw }) => raw),
      fillers.map(({ maxFeePerGas }) => maxFeePerGas),
      fillers.map(({ maxPriorityFeePerGas }) => maxPriorityFeePerGas),
    ],
  );
}

/** Workers fill the nonces below this one while the wallet is halted. */
export async function updateFilling(
  db: Db,
  { network, address, fillBelow, reason }: LaneName & { fillBelow: bigint; reason: string },
): Promise<void> {
  await db.query(
    `update payout_signers set fill_below = $3, fill_server = database_server(), halted_reason = $4
     where network = $1 and address = $2`,
    [network, address, fillBelow, reason],
  );
}

/** Void nonces that a transaction has used on chain are no longer free: stores its hash. */
export async function updateFreeUsed(
  db: Db,
  { network, address }: LaneName,
  used: readonly (readonly [bigint, string])[],
): Promise<void> {
  await db.query(
    `update payout_slots s set mined_hash = v.hash from unnest($3::bigint[], $4::text[]) v (nonce, hash)
     where s.network = $1 and s.address = $2 and s.nonce = v.nonce and s.state = 'void' and s.mined_hash is null`,
    [network, address, used.map(([nonce]) => nonce), used.map(([, hash]) => hash)],
  );
}
