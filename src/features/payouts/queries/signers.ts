import type { Db, Row } from '#platform/db/db';

export interface SignerRow {
  network: string;
  address: string;
  nextNonce: bigint;
  haltedAt: Date | null;
  haltedReason: string | null;
  /** It may have paid what this database does not know: no wallet of its network signs. */
  isInDoubt: boolean;
  /** The database server on which the lane last signed, and the one that answers now: `cluster/timeline`. */
  server: string | null;
  serverNow: string;
  /** Commits wait for a standby. */
  isReplicated: boolean;
  /** Nonces below are being filled, as long as the server is this one. */
  fillBelow: bigint | null;
  fillServer: string | null;
  /** The deployment that the database is bound to; null before the first worker that pays. */
  deployment: string | null;
}

const signerColumns = `network, address, next_nonce as "nextNonce", halted_at as "haltedAt", halted_reason as "haltedReason",
  is_in_doubt and halted_at is not null as "isInDoubt", server, database_server() as "serverNow",
  database_standbys() <> '' as "isReplicated", fill_below as "fillBelow", fill_server as "fillServer",
  (select id from deployment) as deployment`;

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
 * The lane's lock: its holder assigns nonces, for the length of a transaction. Its commit waits for the disk
 * and for synchronous standbys, whatever the server's default: a signed transaction that is sent must not be
 * lost.
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

/** The locks of all lanes of a network, in one order, so that two callers cannot deadlock. */
export async function lockSigners(db: Db, network: string): Promise<SignerRow[]> {
  const signers: SignerRow[] = [];
  for (const { address } of await selectSigners(db, network))
    signers.push((await lockSigner(db, network, address))!);
  return signers;
}

/**
 * Nothing if another worker was first. A wallet that is halted from its start is in doubt. `server`: the one
 * on which it may have signed before; this one by default, so that a later change of the server is seen.
 */
export async function insertSigner(
  db: Db,
  {
    network,
    address,
    haltedReason,
    server,
    now,
  }: { network: string; address: string; haltedReason?: string; server?: string | null; now: Date },
): Promise<void> {
  await db.query(
    `insert into payout_signers (network, address, next_nonce, halted_at, halted_reason, is_in_doubt, server, created_at)
     values ($1, $2, 0, case when $3::text is null then null else $4::timestamptz end, $3, $3::text is not null,
       coalesce($5, database_server()), $4)
     on conflict do nothing`,
    [network, address, haltedReason ?? null, now, server ?? null],
  );
}

/**
 * Begins the reason for which the treasury halts wallets. One that asks for `wallets.recover` takes its
 * place.
 */
export const shortfallReason = 'the treasury lacks ';

export interface Halt {
  network: string;
  address: string;
  reason: string;
  now: Date;
  isOverShortfall?: boolean;
  /** The wallet may have paid what this database does not know. */
  isInDoubt?: boolean;
}

/**
 * True if it was not halted before, or for a shortfall that this reason takes the place of. Doubt is stored
 * in any case; one that is left from an earlier halt ends.
 */
export async function updateHalted(db: Db, halt: Halt): Promise<boolean> {
  const { network, address, reason, now, isOverShortfall = false, isInDoubt = false } = halt;
  const [row] = await db.query<{ isNew: boolean }>(
    `with old as (select halted_at is null or $5 and starts_with(halted_reason, $6) as is_new from payout_signers
       where network = $1 and address = $2 for update)
     update payout_signers set is_in_doubt = $7 or (is_in_doubt and halted_at is not null),
       halted_at = case when old.is_new then $4 else halted_at end,
       halted_reason = case when old.is_new then $3 else halted_reason end
     from old where network = $1 and address = $2 and (old.is_new or $7 and not is_in_doubt) returning old.is_new as "isNew"`,
    [network, address, reason, now, isOverShortfall, shortfallReason, isInDoubt],
  );
  return row?.isNew ?? false;
}

/**
 * A wallet without a server was registered by an older release: it may have signed on the server that the
 * others of its network signed on.
 */
export async function updateUnknownServer(
  db: Db,
  { network, address, server }: { network: string; address: string; server: string },
): Promise<void> {
  await db.query(
    'update payout_signers set server = $3 where network = $1 and address = $2 and server is null',
    [network, address, server],
  );
}

/** Whether a recovery of the wallet has ended since. One that only began to fill nonces does not count. */
export async function selectWasRecovered(
  db: Db,
  { network, address, since }: { network: string; address: string; since: Date },
): Promise<boolean> {
  const rows = await db.query(
    `select 1 from audit_log where subject = $1 and action = 'wallets.recover' and at >= $2 and after ? 'nextNonce' limit 1`,
    [`wallet:${network}:${address}`, since],
  );
  return rows.length > 0;
}

/** Resumes the wallet unless there is still a reason to halt. The current server is trusted from then on. */
export async function updateResumed(
  db: Db,
  wallet: { network: string; address: string; nextNonce: bigint; haltedReason?: string },
): Promise<void> {
  const { network, address, nextNonce, haltedReason } = wallet;
  await db.query(
    `update payout_signers set next_nonce = $3, halted_reason = $4, server = database_server(),
       fill_below = null, fill_server = null, is_in_doubt = $4::text is not null,
       halted_at = case when $4::text is null then null else halted_at end
     where network = $1 and address = $2`,
    [network, address, nextNonce, haltedReason ?? null],
  );
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

/** The wallets that workers sign with, as the last worker said that started with keys. */
export async function selectCurrentWallets(db: Db): Promise<{ network: string; address: string }[]> {
  return db.query<{ network: string; address: string }>(
    `select network, a.address from payout_wallets w
     cross join lateral unnest(case when w.address = any(w.addresses) then w.addresses else array[w.address] end)
       with ordinality a (address, place) order by network, place`,
  );
}

/** Writes nothing if they are stored already. Workers of the release before write and read the first only. */
export async function upsertCurrentWallets(
  db: Db,
  { network, addresses, now }: { network: string; addresses: readonly string[]; now: Date },
): Promise<void> {
  await db.query(
    `insert into payout_wallets (network, address, addresses, updated_at) values ($1, ($2::text[])[1], $2, $3)
     on conflict (network) do update
       set address = excluded.address, addresses = excluded.addresses, updated_at = excluded.updated_at
     where (payout_wallets.address, payout_wallets.addresses) is distinct from (excluded.address, excluded.addresses)`,
    [network, addresses, now],
  );
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
