import type { Db } from '#platform/db/db';

/** Who holds the keys of a wallet: only wallets in custody of the platform count as balance. */
export const custodies = ['platform', 'self'] as const;
export type Custody = (typeof custodies)[number];

export interface WalletRow {
  network: string;
  address: string;
  custody: Custody;
  verifiedAt: string;
}

export async function selectWallet(
  db: Db,
  userId: string,
  network: string,
): Promise<{ address: string; custody: Custody } | undefined> {
  const [row] = await db.query<{ address: string; custody: Custody }>(
    'select address, custody from user_wallets where user_id = $1 and network = $2',
    [userId, network],
  );
  return row;
}

/** Users by their wallets in custody of the platform on a network, among the addresses. */
export async function selectOwners(
  db: Db,
  network: string,
  addresses: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (addresses.length === 0) return new Map();
  const rows = await db.query<{ address: string; userId: string }>(
    `select address, user_id as "userId" from user_wallets
     where network = $1 and custody = 'platform' and address = any($2::text[])`,
    [network, addresses],
  );
  return new Map(rows.map(({ address, userId }) => [address, userId]));
}

export async function upsertWallet(
  db: Db,
  wallet: { userId: string; network: string; address: string; custody: Custody; verifiedAt: Date },
): Promise<void> {
  const { userId, network, address, custody, verifiedAt } = wallet;
  await db.query(
    `insert into user_wallets (user_id, network, address, custody, verified_at) values ($1, $2, $3, $4, $5)
     on conflict (user_id, network) do update
     set address = excluded.address, custody = excluded.custody, verified_at = excluded.verified_at`,
    [userId, network, address, custody, verifiedAt],
  );
}

export async function deleteWallet(db: Db, userId: string, network: string): Promise<void> {
  await db.query('delete from user_wallets where user_id = $1 and network = $2', [userId, network]);
}

/** Whether a withdrawal to the address is in progress that will be credited to a user. */
export async function hasOpenCredit(db: Db, network: string, address: string): Promise<boolean> {
  const rows = await db.query(
    `select 1 from withdrawals where status in ('queued', 'pending', 'processing') and network = $1 and to_address = $2
       and recipient_user_id is not null limit 1`,
    [network, address],
  );
  return rows.length > 0;
}

/**
 * Until the end of the transaction, nobody else can register the address as a wallet, or pay it because it is
 * not one.
 */
export async function lockAddress(db: Db, address: string): Promise<void> {
  await db.query(`select pg_advisory_xact_lock(hashtextextended('address ' || $1::text, 0))`, [address]);
}

/** Whether a user has held its keys, on any network: the same keys sign on all of them. */
export async function wasInSelfCustody(db: Db, address: string): Promise<boolean> {
  // While an upgrade is under way, a process of the release before may record a wallet without the trigger.
  const rows = await db.query(
    `select 1 from self_custody_addresses where address = $1
     union all select 1 from user_wallets where address = $1 and custody = 'self'`,
    [address],
  );
  return rows.length > 0;
}

/** Where else this address is a platform wallet: the same keys sign on all networks. */
export function selectPlatformElsewhere(
  db: Db,
  address: string,
  network: string,
): Promise<{ userId: string; network: string }[]> {
  return db.query(
    `select user_id as "userId", network from user_wallets
     where address = $1 and custody = 'platform' and network <> $2 order by network`,
    [address, network],
  );
}

/** Whether it is the collateral address of a card account. */
export async function isCollateralAddress(db: Db, address: string): Promise<boolean> {
  return (
    (await db.query('select 1 from card_issuer_users where collateral_address = $1 limit 1', [address]))
      .length > 0
  );
}

/** Whether it is stored as a hot wallet, on any network. */
export async function isPayoutSigner(db: Db, address: string): Promise<boolean> {
  return (await db.query('select 1 from payout_signers where address = $1 limit 1', [address])).length > 0;
}
