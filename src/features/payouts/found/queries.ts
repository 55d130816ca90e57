import type { SentTransfer } from '#adapters/evm';
import type { Db, Row } from '#platform/db/db';

interface LaneName {
  network: string;
  address: string;
}

/** A recovery may be repeated, so known payments are not an error. */
export async function insertFound(
  db: Db,
  { network, address, now }: LaneName & { now: Date },
  found: readonly SentTransfer[],
): Promise<void> {
  const column = <K extends keyof SentTransfer>(name: K) => found.map((each) => each[name] ?? null);
  await db.query(
    `insert into found_payments (hash, network, address, nonce, raw, max_fee_per_gas, max_priority_fee_per_gas, withdrawal_id,
       key_mark, token_address, to_address, amount, found_at)
     select hash, $1, $2, nonce, raw, fee, tip, reference, mark, token, receiver, amount, $3
     from unnest($4::text[], $5::bigint[], $6::bytea[], $7::numeric[], $8::numeric[], $9::uuid[], $10::bytea[], $11::text[],
       $12::text[], $13::numeric[]) v (hash, nonce, raw, fee, tip, reference, mark, token, receiver, amount)
     on conflict (hash) do nothing`,
    [
      network,
      address,
      now,
      column('hash'),
      column('nonce'),
      column('raw'),
      column('maxFeePerGas'),
      column('maxPriorityFeePerGas'),
      column('reference'),
      column('keyMark'),
      column('token'),
      column('to'),
      column('amount'),
    ],
  );
}

const paysExactly = `f.network = w.network and f.token_address = w.token_address and f.to_address = w.to_address
  and f.amount = w.amount`;

/**
 * A partner may have repeated a lost request before its payment was found: another withdrawal with the same
 * key. Reads the open withdrawals of one network once, and only if a payment was found that belongs to no
 * withdrawal here.
 */
export async function updateMatchedByKey(db: Db, network: string): Promise<void> {
  const lost = await db.query<{ hash: string; to: string }>(
    `select hash, to_address as "to" from found_payments f
     where network = $1 and key_mark is not null and not exists (select from withdrawals w where w.id = f.withdrawal_id)`,
    [network],
  );
  if (lost.length === 0) return;
  // Materialized: one hash for each withdrawal, and not one for each pair.
  await db.query(
    `with w as materialized (
       select id, network, token_address, to_address, amount, withdrawal_key_mark(partner_id, idempotency_key) as mark
       from withdrawals where status in ('queued', 'pending') and network = $1 and idempotency_key is not null
         and to_address = any($3))
     update found_payments f set withdrawal_id = w.id from w
     where f.hash = any($2) and f.key_mark = w.mark and ${paysExactly}`,
    [network, lost.map(({ hash }) => hash), lost.map(({ to }) => to)],
  );
}

export interface BindableRow {
  hash: string;
  address: string;
  nonce: bigint;
  raw: Buffer;
  maxFeePerGas: bigint;
  maxPriorityFeePerGas: bigint;
  withdrawalId: string;
  status: 'queued' | 'pending';
  userId: string;
  currency: string;
  decimals: number;
  amount: bigint;
}

/**
 * Payments whose withdrawal is here and not signed; locks the withdrawals until the end of the transaction.
 */
export async function lockBindable(
  db: Db,
  network: string,
  { hash, limit }: { hash?: string; limit: number },
): Promise<BindableRow[]> {
  return db.query<BindableRow & Row>(
    `select f.hash, f.address, f.nonce, f.raw, f.max_fee_per_gas as "maxFeePerGas",
       f.max_priority_fee_per_gas as "maxPriorityFeePerGas", w.id as "withdrawalId", w.status, w.user_id as "userId", w.currency,
       w.decimals, w.amount
     from found_payments f join withdrawals w on w.id = f.withdrawal_id
     where f.network = $1 and w.status in ('queued', 'pending') and ${paysExactly} and ($3::text is null or f.hash = $3)
     order by w.id, f.nonce limit $2 for update of w skip locked`,
    [network, limit, hash ?? null],
  );
}

export async function selectBindable(db: Db, network: string, limit: number): Promise<string[]> {
  const rows = await db.query<{ hash: string }>(
    `select f.hash from found_payments f join withdrawals w on w.id = f.withdrawal_id
     where f.network = $1 and w.status in ('queued', 'pending') and ${paysExactly} order by f.found_at, f.hash limit $2`,
    [network, limit],
  );
  return rows.map(({ hash }) => hash);
}

/** Makes the nonces of payments the slots of the withdrawals that they paid; a void slot is used again. */
export async function insertBoundSlots(
  db: Db,
  { network, now }: { network: string; now: Date },
  bound: readonly BindableRow[],
): Promise<void> {
  await db.query(
    `insert into payout_slots (network, address, nonce, withdrawal_id, opened_at)
     select $1, address, nonce, id, $2 from unnest($3::text[], $4::bigint[], $5::uuid[]) v (address, nonce, id)
     on conflict (network, address, nonce) do update set withdrawal_id = excluded.withdrawal_id, state = 'open',
       mined_hash = null, settled_at = null, reported_at = null, missing_since = null, opened_at = excluded.opened_at`,
    [
      network,
      now,
      bound.map(({ address }) => address),
      bound.map(({ nonce }) => nonce),
      bound.map(({ withdrawalId }) => withdrawalId),
    ],
  );
}

export interface UnknownPayment {
  hash: string;
  withdrawalId: string | null;
}

/** Payments that belong to no withdrawal here and that no operator has accepted. */
export async function selectUnknown(db: Db, { network, address }: LaneName): Promise<UnknownPayment[]> {
  return db.query<UnknownPayment & Row>(
    `select f.hash, f.withdrawal_id as "withdrawalId" from found_payments f
     where f.network = $1 and f.address = $2 and f.accepted_at is null
       and not exists (select from payout_attempts a where a.hash = f.hash)
     order by f.nonce`,
    [network, address],
  );
}

/** Returns those of them that were found and are not bound. */
export async function updateAccepted(
  db: Db,
  { network, address, now }: LaneName & { now: Date },
  hashes: readonly string[],
): Promise<string[]> {
  const rows = await db.query<{ hash: string }>(
    `update found_payments f set accepted_at = coalesce(accepted_at, $3)
     where f.network = $1 and f.address = $2 and f.hash = any($4::text[])
       and not exists (select from payout_attempts a where a.hash = f.hash)
     returning f.hash`,
    [network, address, now, hashes],
  );
  return rows.map(({ hash }) => hash);
}

/**
 * Voids the nonces of withdrawals, which get new ones. `minedHash`: the final transaction that used the
 * nonce.
 */
export async function updateVoid(
  db: Db,
  { network, address, now }: LaneName & { now: Date },
  slots: readonly { nonce: bigint; minedHash: string | null }[],
): Promise<string[]> {
  const nonces = slots.map(({ nonce }) => nonce);
  const rows = await db.query<{ id: string }>(
    `update payout_slots s set state = 'void', void_of = s.withdrawal_id, withdrawal_id = null, mined_hash = v.hash,
       settled_at = $3, missing_since = null
     from unnest($4::bigint[], $5::text[]) v (nonce, hash)
     where s.network = $1 and s.address = $2 and s.nonce = v.nonce and s.state = 'open' returning s.void_of as id`,
    [network, address, now, nonces, slots.map(({ minedHash }) => minedHash)],
  );
  await db.query(
    'update payout_attempts set is_void = true where network = $1 and address = $2 and nonce = any($3::bigint[])',
    [network, address, nonces],
  );
  const ids = rows.map(({ id }) => id);
  await db.query(
    `update withdrawals set status = 'pending', transfer_status = null, transaction_hash = null, checked_at = null,
       updated_at = greatest(updated_at, $2) where id = any($1::uuid[])`,
    [ids, now],
  );
  return ids;
}

/**
 * Withdrawals whose payment was found and that are signed again at another nonce, by any of these wallets.
 * That slot is void if its bytes were never sent; its attempts show it, because a send is recorded before it
 * is made. The attempts are locked first: a worker that is about to send them records it before or never.
 */
export async function updateSignedAgain(
  db: Db,
  { network, addresses, now }: { network: string; addresses: readonly string[]; now: Date },
): Promise<void> {
  const signedAgain = `from payout_slots s
     join withdrawals w on w.id = s.withdrawal_id
     join found_payments f on f.withdrawal_id = w.id and ${paysExactly}
     join payout_attempts b on b.network = s.network and b.address = s.address and b.nonce = s.nonce and not b.is_void
     where s.network = $1 and s.address = any($2::text[]) and s.state = 'open' and (f.address, f.nonce) <> (s.address, s.nonce)
       and not exists (select from payout_attempts a where a.hash = f.hash)`;
  await db.query(`select 1 ${signedAgain} order by b.hash for update of s, b`, [network, addresses]);
  const rows = await db.query<{ address: string; nonce: bigint }>(
    `select s.address, s.nonce ${signedAgain} group by s.address, s.nonce having max(b.sends) = 0`,
    [network, addresses],
  );
  for (const address of addresses) {
    const slots = rows.filter((row) => row.address === address);
    await updateVoid(
      db,
      { network, address, now },
      slots.map(({ nonce }) => ({ nonce, minedHash: null })),
    );
  }
}

/** Whether a payment of this withdrawal was found on chain; if so, an operator cannot cancel it. */
export async function isFoundPaid(db: Db, withdrawalId: string): Promise<boolean> {
  const rows = await db.query('select 1 from withdrawals w where id = $1 and is_found_paid(w)', [
    withdrawalId,
  ]);
  return rows.length > 0;
}
