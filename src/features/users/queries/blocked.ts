import type { Db } from '#platform/db/db';

/** The blocked addresses among them. */
export async function selectBlockedAmong(db: Db, addresses: string[]): Promise<ReadonlySet<string>> {
  const rows = await db.query<{ address: string }>(
    'select address from blocked_addresses where address = any($1::text[])',
    [addresses],
  );
  return new Set(rows.map(({ address }) => address));
}

/** False if the address was already blocked. */
export async function insertBlockedAddress(
  db: Db,
  address: string,
  reason: string,
  blockedAt: Date,
): Promise<boolean> {
  const rows = await db.query(
    `insert into blocked_addresses (address, reason, blocked_at) values ($1, $2, $3)
     on conflict do nothing returning 1`,
    [address, reason, blockedAt],
  );
  return rows.length > 0;
}

/** The reason it was blocked for, or undefined if it was not. */
export async function deleteBlockedAddress(db: Db, address: string): Promise<string | undefined> {
  const [row] = await db.query<{ reason: string }>(
    'delete from blocked_addresses where address = $1 returning reason',
    [address],
  );
  return row?.reason;
}

export async function selectBlockedAddresses(
  db: Db,
  { after, limit }: { after?: string; limit: number },
): Promise<{ address: string; reason: string; blockedAt: Date }[]> {
  return db.query<{ address: string; reason: string; blockedAt: Date }>(
    `select address, reason, blocked_at as "blockedAt" from blocked_addresses
     where ($1::text is null or address > $1)
     order by address limit $2`,
    [after ?? null, limit],
  );
}
