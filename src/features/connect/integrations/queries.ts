import { batchLoader } from '#platform/db/batch-loader';
import type { Db, Row } from '#platform/db/db';
import type { StoredToken } from '#platform/secrets/token';
import type { Picture, PictureType } from '#platform/values/picture';
import type { ConsentScope } from './scopes.ts';

export interface IntegrationRow {
  id: string;
  name: string;
  logoColor: string;
  purposes: string[];
  /** Purposes in Portuguese, by the purpose. */
  translations: Record<string, string>;
  scopes: ConsentScope[];
  redirectUris: string[];
  homepageUrl: string | null;
  privacyUrl: string | null;
  logoSha256: string | null;
  createdAt: Date;
  revokedAt: Date | null;
  /** Its people make its keys, and no operator does. */
  keysByOwner: boolean;
}

const columns = `id, name, logo_color as "logoColor", purposes, purposes_pt as translations, scopes,
  redirect_uris as "redirectUris",
  (select l.sha256 from integration_logos l where l.integration_id = integrations.id) as "logoSha256",
  homepage_url as "homepageUrl", privacy_url as "privacyUrl", created_at as "createdAt", revoked_at as "revokedAt",
  keys_by_owner as "keysByOwner"`;

export async function insertIntegration(
  db: Db,
  integration: Omit<IntegrationRow, 'id' | 'logoSha256' | 'revokedAt'>,
) {
  const {
    name,
    logoColor,
    purposes,
    translations,
    scopes,
    redirectUris,
    homepageUrl,
    privacyUrl,
    createdAt,
    keysByOwner,
  } = integration;
  const [row] = await db.query<IntegrationRow & Row>(
    `insert into integrations (name, logo_color, purposes, purposes_pt, scopes, redirect_uris, homepage_url,
       privacy_url, created_at, keys_by_owner)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) returning ${columns}`,
    [
      name,
      logoColor,
      purposes,
      translations,
      scopes,
      redirectUris,
      homepageUrl,
      privacyUrl,
      createdAt,
      keysByOwner,
    ],
  );
  return row!;
}

/**
 * The advisory lock of an integration, as SQL. It queues in order; row locks let shared holders overtake a
 * waiting writer, under traffic for ever.
 */
export const integrationLock = (id: string) => `hashtextextended('integration ' || ${id}, 0)`;

/** Until the end of the transaction nobody acts as the integration, and earlier actions are finished. */
export async function lockIntegration(db: Db, id: string): Promise<void> {
  await db.query(`select pg_advisory_xact_lock(${integrationLock('$1::uuid')})`, [id]);
}

/** Until the end of the transaction the integration and its keys stay as they are; many may share this. */
export async function shareIntegration(db: Db, id: string): Promise<void> {
  await db.query(`select pg_advisory_xact_lock_shared(${integrationLock('$1::uuid')})`, [id]);
}

/**
 * After one of the two above, in a separate statement: a statement that waited would still see the old rows.
 */
export async function selectIntegration(db: Db, id: string): Promise<IntegrationRow | undefined> {
  const [row] = await db.query<IntegrationRow & Row>(`select ${columns} from integrations where id = $1`, [
    id,
  ]);
  return row;
}

/**
 * The same for a key, if neither was ended. A request may be older than the rotation that it waited for: the
 * existence of a newer key shows that its instant has passed.
 */
export async function selectActing(
  db: Db,
  { integrationId, keyId, now }: { integrationId: string; keyId: string; now: Date },
): Promise<IntegrationRow | undefined> {
  const [row] = await db.query<IntegrationRow & Row>(
    `select ${columns} from integrations
     where id = $1 and revoked_at is null and exists (
       select from integration_keys k where k.id = $2 and k.integration_id = $1 and k.revoked_at is null
         and (k.expires_at is null or k.expires_at > greatest($3,
           (select max(n.created_at) from integration_keys n where n.integration_id = $1))))`,
    [integrationId, keyId, now],
  );
  return row;
}

export async function updateIntegrationEnd(db: Db, id: string, revokedAt: Date): Promise<void> {
  await db.query('update integrations set revoked_at = $2 where id = $1', [id, revokedAt]);
}

/** In order of id, which is the order of registration; keys in the same statement, not one by one. */
export async function selectIntegrations(
  db: Db,
  { after, limit }: { after?: string; limit: number },
): Promise<(IntegrationRow & { keys: ListedKeyRow[] })[]> {
  return db.query<IntegrationRow & { keys: ListedKeyRow[] } & Row>(
    `select ${columns}, (
       select coalesce(jsonb_agg(jsonb_build_object('id', k.id, 'createdAt', k.created_at,
         'expiresAt', k.expires_at, 'revokedAt', k.revoked_at) order by k.created_at, k.id), '[]')
       from integration_keys k where k.integration_id = integrations.id) as keys
     from integrations where $1::uuid is null or id > $1
     order by id limit $2`,
    [after ?? null, limit],
  );
}

/** Instants as in JSON. */
export interface ListedKeyRow {
  id: string;
  createdAt: string;
  expiresAt: string | null;
  revokedAt: string | null;
}

export interface IntegrationKeyRow {
  id: string;
  integrationId: string;
  createdAt: Date;
  expiresAt: Date | null;
  revokedAt: Date | null;
  rotatedFrom: string | null;
}

export async function insertIntegrationKey(
  db: Db,
  key: Pick<IntegrationKeyRow, 'id' | 'integrationId' | 'createdAt' | 'rotatedFrom'>,
  secretSha256: Buffer,
): Promise<void> {
  await db.query(
    `insert into integration_keys (id, integration_id, secret_sha256, created_at, rotated_from)
     values ($1, $2, $3, $4, $5)`,
    [key.id, key.integrationId, secretSha256, key.createdAt, key.rotatedFrom],
  );
}

/**
 * Authenticating a request costs this one lookup by primary key. It is never cached, so that a revocation
 * holds for the next request of every process.
 */
export async function selectCredential(
  db: Db,
  keyId: string,
): Promise<(StoredToken & { integrationId: string }) | undefined> {
  const [row] = await db.query<StoredToken & { integrationId: string } & Row>(
    `select secret_sha256 as "secretSha256", integration_id as "integrationId", expires_at as "expiresAt",
       revoked_at as "revokedAt"
     from integration_keys where id = $1`,
    [keyId],
  );
  return row;
}

/** The key that no other one has replaced; undefined until its people made the first one. */
export async function selectCurrentKeyId(db: Db, integrationId: string): Promise<string | undefined> {
  const [row] = await db.query<{ id: string }>(
    'select id from integration_keys where integration_id = $1 and rotated_at is null',
    [integrationId],
  );
  return row?.id;
}

export interface UsedKeyRow extends Omit<IntegrationKeyRow, 'integrationId' | 'rotatedFrom'> {
  lastUsedAt: Date | null;
}

/** Newest first. */
export async function selectNewestKeys(db: Db, integrationId: string, limit: number): Promise<UsedKeyRow[]> {
  return db.query<UsedKeyRow & Row>(
    `select k.id, k.created_at as "createdAt", k.expires_at as "expiresAt", k.revoked_at as "revokedAt",
       u.last_used_at as "lastUsedAt"
     from integration_keys k left join integration_key_uses u on u.key_id = k.id
     where k.integration_id = $1 order by k.created_at desc, k.id limit $2`,
    [integrationId, limit],
  );
}

export const upsertKeyUse = batchLoader(async (db: Db, uses: { keyId: string; at: Date }[]) => {
  await db.query(
    `insert into integration_key_uses as u (key_id, last_used_at)
     select key_id, max(at) from unnest($1::text[], $2::timestamptz[]) as n (key_id, at) group by key_id order by key_id
     on conflict (key_id) do update set last_used_at = excluded.last_used_at
       where u.last_used_at < excluded.last_used_at`,
    [uses.map(({ keyId }) => keyId), uses.map(({ at }) => at)],
  );
  return uses.map(() => undefined);
});

/** Shortens keys that would last longer and replaces the current one. Returns the ids of the changed keys. */
export async function limitKeys(
  db: Db,
  { integrationId, endsAt, now }: { integrationId: string; endsAt: Date; now: Date },
): Promise<string[]> {
  const rows = await db.query<{ id: string }>(
    `update integration_keys
     set expires_at = least(expires_at, $2), rotated_at = coalesce(rotated_at, $3)
     where integration_id = $1 and (rotated_at is null or expires_at > $2)
     returning id`,
    [integrationId, endsAt, now],
  );
  return rows.map(({ id }) => id).sort();
}

export async function revokeKeys(db: Db, integrationId: string, revokedAt: Date): Promise<void> {
  await db.query(
    'update integration_keys set revoked_at = $2 where integration_id = $1 and revoked_at is null',
    [integrationId, revokedAt],
  );
}

export async function updateIntegrationRow(db: Db, integration: IntegrationRow): Promise<void> {
  const { id, name, logoColor, purposes, translations, redirectUris, homepageUrl, privacyUrl } = integration;
  await db.query(
    `update integrations set name = $2, logo_color = $3, purposes = $4, redirect_uris = $5, homepage_url = $6,
       privacy_url = $7, purposes_pt = $8 where id = $1`,
    [id, name, logoColor, purposes, redirectUris, homepageUrl, privacyUrl, translations],
  );
}

export async function upsertLogo(
  db: Db,
  {
    integrationId,
    sha256,
    logo,
    setAt,
  }: { integrationId: string; sha256: string; logo: Picture; setAt: Date },
): Promise<void> {
  await db.query(
    `insert into integration_logos (integration_id, sha256, png, set_at, type) values ($1, $2, $3, $4, $5)
     on conflict (integration_id) do update set sha256 = $2, png = $3, set_at = $4, type = $5`,
    [integrationId, sha256, logo.bytes, setAt, logo.type],
  );
}

export async function deleteLogo(db: Db, integrationId: string): Promise<void> {
  await db.query('delete from integration_logos where integration_id = $1', [integrationId]);
}

export async function selectLogo(
  db: Db,
  { integrationId, sha256 }: { integrationId: string; sha256: string },
): Promise<Picture | undefined> {
  const [row] = await db.query<{ type: PictureType; bytes: Buffer }>(
    'select type, png as bytes from integration_logos where integration_id = $1 and sha256 = $2',
    [integrationId, sha256],
  );
  return row;
}
