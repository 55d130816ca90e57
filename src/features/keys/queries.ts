import { batchLoader } from '#platform/db/batch-loader';
import type { Db, Row } from '#platform/db/db';
import type { StoredToken } from '#platform/secrets/token';

export interface KeyRow {
  id: string;
  name: string;
  partnerId: string;
  userId: string;
  scopes: string[];
  ipAllowlist: string[];
  createdAt: Date;
  expiresAt: Date | null;
  revokedAt: Date | null;
  rotatedFrom: string | null;
  rotatedAt: Date | null;
}

const columns = `id, name, partner_id as "partnerId", user_id as "userId", scopes, ip_allowlist as "ipAllowlist",
  created_at as "createdAt", expires_at as "expiresAt", revoked_at as "revokedAt", rotated_from as "rotatedFrom",
  rotated_at as "rotatedAt"`;

export interface KeyCredential
  extends StoredToken,
    Pick<KeyRow, 'id' | 'partnerId' | 'userId' | 'scopes' | 'ipAllowlist'> {}

/**
 * The only query of authentication: a look-up by primary key, batched for concurrent requests. It is never
 * cached, so a revocation holds from the next request on in every process. The array is wrapped in a
 * subselect: if the planner sees its length, PostgreSQL makes a new plan for each call.
 */
export const selectCredential = batchLoader(
  async (db: Db, keyIds: string[]): Promise<(KeyCredential | undefined)[]> => {
    const rows = await db.query<KeyCredential & Row>(
      `select id, secret_sha256 as "secretSha256", partner_id as "partnerId", user_id as "userId", scopes,
         ip_allowlist as "ipAllowlist", expires_at as "expiresAt", revoked_at as "revokedAt"
       from api_keys where id = any((select $1::text[])::text[])`,
      [keyIds],
    );
    const byId = new Map(rows.map((row) => [row.id, row]));
    return keyIds.map((keyId) => byId.get(keyId));
  },
);

export async function insertKey(db: Db, key: KeyRow, secretSha256: Buffer): Promise<void> {
  await db.query(
    `insert into api_keys (id, secret_sha256, name, partner_id, user_id, scopes, ip_allowlist, created_at, expires_at, rotated_from)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
    [
      key.id,
      secretSha256,
      key.name,
      key.partnerId,
      key.userId,
      key.scopes,
      key.ipAllowlist,
      key.createdAt,
      key.expiresAt,
      key.rotatedFrom,
    ],
  );
}

export async function selectKeyForUpdate(db: Db, keyId: string): Promise<KeyRow | undefined> {
  const [row] = await db.query<KeyRow & Row>(`select ${columns} from api_keys where id = $1 for update`, [
    keyId,
  ]);
  return row;
}

export async function updateKeyEnd(db: Db, { id, expiresAt, revokedAt, rotatedAt }: KeyRow): Promise<void> {
  await db.query('update api_keys set expires_at = $2, revoked_at = $3, rotated_at = $4 where id = $1', [
    id,
    expiresAt,
    revokedAt,
    rotatedAt,
  ]);
}

export async function selectKeys(
  db: Db,
  filter: { partnerId?: string; userId?: string; after?: string; limit: number },
): Promise<KeyRow[]> {
  return db.query<KeyRow & Row>(
    `select ${columns} from api_keys
     where ($1::uuid is null or partner_id = $1) and ($2::uuid is null or user_id = $2) and ($3::text is null or id > $3)
     order by id limit $4`,
    [filter.partnerId ?? null, filter.userId ?? null, filter.after ?? null, filter.limit],
  );
}
