import type { Db, Row } from '#platform/db/db';

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

/**
 * `isSent`: found on chain, so somebody sent them; otherwise the used nonce would be taken for a stranger's.
 */
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
  withdrawalId: string;
  raw: Buffer;
}

/**
 * Takes the newest bytes of each nonce that is neither mined nor sent lately. Marked as sent before they are:
 * if we die in between, another worker sends them a moment later. The commit waits for synchronous standbys,
 * and so confirms that of the signature. Lateral, because as a join it read the lane's whole past for each
 * nonce where PostgreSQL had no statistics yet. Nothing is sent for a nonce for the first time while its
 * withdrawal has a found payment, or while the network is in doubt: another wallet may have paid it.
 */
export async function claimUnsent(
  db: Db,
  {
    network,
    address,
    resendMs,
    limit,
    isInDoubt,
  }: { network: string; address: string; resendMs: number; limit: number; isInDoubt: boolean },
): Promise<UnsentAttempt[]> {
  return db.query<UnsentAttempt & Row>(
    `with newest as (
       select a.hash, a.sent_at, a.sends
       from payout_slots s
       join withdrawals w on w.id = s.withdrawal_id and w.transfer_status <> 'mined'
       cross join lateral (select * from payout_attempts a
         where a.network = s.network and a.address = s.address and a.nonce = s.nonce and not a.is_void
         order by a.max_fee_per_gas desc limit 1) a
       where s.network = $1 and s.address = $2 and s.state = 'open'
         and (a.sends > 0 or not ($5 or is_found_paid(w)) or exists (select from payout_attempts o
           where o.network = $1 and o.address = $2 and o.nonce = s.nonce and o.sends > 0 and not o.is_void offset 0))),
     due as (
       select hash from payout_attempts
       where not is_void and hash = any (array(select hash from newest
         where sent_at is null or sent_at < now() - $3 * least(sends, 3) * interval '1 millisecond'))
       order by nonce limit $4 for update skip locked),
     sent as (
       update payout_attempts a set sent_at = now(), sends = sends + 1
       where hash = any (array(select hash from due)) and not is_void
         and (sent_at is null or sent_at < now() - $3 * least(sends, 3) * interval '1 millisecond')
       returning a.hash, a.nonce, a.raw, a.sends),
     durable as materialized (select case when current_setting('synchronous_commit') not in ('on', 'remote_apply')
       then set_config('synchronous_commit', 'on', true) end as setting)
     select s.hash, s.nonce, s.raw,
       (select withdrawal_id from payout_slots where network = $1 and address = $2 and nonce = s.nonce) as "withdrawalId",
       s.sends = 1 and not exists (select from payout_attempts o
         where o.network = $1 and o.address = $2 and o.nonce = s.nonce and o.hash <> s.hash and o.sends > 0 and not o.is_void
         offset 0) as "isFirst"
     from sent s cross join durable order by s.nonce`,
    [network, address, resendMs, limit, isInDoubt],
  );
}

/**
 * What was claimed is not sent after all. Must be stored: a nonce is free only if nothing was sent for it.
 */
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

/**
 * Bytes of the newest open nonces, for a look at whether they are still what was signed; before each send all
 * are looked at. Lateral for the reason that `claimUnsent` is: as a join it took four seconds for 400 open
 * nonces after 4,000 paid ones.
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

export async function selectRaw(db: Db, hashes: readonly string[]): Promise<ReadonlyMap<string, Buffer>> {
  const rows = await db.query<{ hash: string; raw: Buffer }>(
    'select hash, raw from payout_attempts where hash = any($1::text[])',
    [hashes],
  );
  return new Map(rows.map(({ hash, raw }) => [hash, raw]));
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
