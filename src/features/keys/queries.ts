import { accessTo, type UserAccess } from '#features/partners';
import { batchLoader } from '#platform/db/batch-loader';
import type { Db, Row } from '#platform/db/db';
import type { StoredToken } from '#platform/secrets/token';
import { completeScopes } from './scopes.ts';

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
  suspendedAt: Date | null;
  suspendedReason: string | null;
  /** The key that issued it. */
  issuedByKey: string | null;
}

const columns = `id, name, partner_id as "partnerId", user_id as "userId", scopes, ip_allowlist as "ipAllowlist",
  created_at as "createdAt", expires_at as "expiresAt", revoked_at as "revokedAt", rotated_from as "rotatedFrom",
  rotated_at as "rotatedAt", suspended_at as "suspendedAt", suspended_reason as "suspendedReason",
  issued_by_key as "issuedByKey"`;

export interface KeyCredential
  extends StoredToken,
    Pick<KeyRow, 'id' | 'partnerId' | 'userId' | 'scopes' | 'ipAllowlist'> {
  /** It is suspended, or its partner or its user is. */
  isSuspended: boolean;
  /** Its user was taken off the partner's list. */
  isOffList: boolean;
}

export type Stop = 'partner suspended' | 'user suspended' | 'user not allowed';

/** What stops a key from outside: its partner or its user, or that the user is off the partner's list. */
const stops: Record<Stop, string> = {
  'partner suspended':
    'exists (select from partners p where p.id = k.partner_id and p.suspended_at is not null)',
  'user suspended': 'exists (select from users u where u.id = k.user_id and u.suspended_at is not null)',
  'user not allowed': `exists (select from partner_users_removed r
     where r.partner_id = k.partner_id and r.user_id = k.user_id)`,
};

const credential = `k.id, secret_sha256 as "secretSha256", partner_id as "partnerId", user_id as "userId", scopes,
         ip_allowlist as "ipAllowlist", expires_at as "expiresAt", revoked_at as "revokedAt",
         k.suspended_at is not null or ${stops['partner suspended']} or ${stops['user suspended']} as "isSuspended",
         ${stops['user not allowed']} as "isOffList"`;

/**
 * The only query of authentication: look-ups by primary key, batched for concurrent requests. It is never
 * cached, so a revocation or suspension holds from the next request on in every process. The array is wrapped
 * in a subselect: if the planner sees its length, PostgreSQL makes a new plan for each call.
 */
export const selectCredential = batchLoader(
  async (db: Db, keyIds: string[]): Promise<(KeyCredential | undefined)[]> => {
    const rows = await db.query<KeyCredential & Row>(
      `select ${credential} from api_keys k where id = any((select $1::text[])::text[])`,
      [keyIds],
    );
    const byId = new Map(rows.map((row) => [row.id, withScopes(row)]));
    return keyIds.map((keyId) => byId.get(keyId));
  },
);

/**
 * The same, with whether the key's partner may act for a user. One statement instead of two: a creation of a
 * withdrawal takes a tenth less CPU. A row has a key with the answers about all of its users.
 */
export const selectCredentialFor = batchLoader(
  async (db: Db, asked: { keyId: string; userId: string }[]): Promise<(CredentialFor | undefined)[]> => {
    const keyIds = asked.map(({ keyId }) => keyId);
    const rows = await db.query<KeyCredential & { accesses: string } & Row>(
      `select ${credential},
         (select string_agg(${accessTo('k.partner_id')}, ' ' order by g.place)
          from unnest((select $1::text[]), (select $2::uuid[])) with ordinality as g (key_id, user_id, place)
          left join lateral (select id, suspended_at from users where id = g.user_id limit 1) u on true
          where g.key_id = k.id) as accesses
       from api_keys k where id = any((select $1::text[])::text[])`,
      [keyIds, asked.map(({ userId }) => userId)],
    );
    const byId = new Map(
      rows.map(({ accesses, ...row }) => [
        row.id,
        { key: withScopes(row), accesses: (accesses.split(' ') as UserAccess[]).values() },
      ]),
    );
    return keyIds.map((keyId) => {
      const found = byId.get(keyId);
      return found && { ...found.key, access: found.accesses.next().value! };
    });
  },
);

interface CredentialFor extends KeyCredential {
  access: UserAccess;
}

/**
 * `issuedBy`: the person who may not approve what the key pays. Of a key that `actingKey` issues, it is the
 * person who issued that one.
 */
export async function insertKey(
  db: Db,
  key: KeyRow,
  { secretSha256, issuedBy, actingKey }: NewSecret,
): Promise<void> {
  await db.query(
    `insert into api_keys (id, secret_sha256, name, partner_id, user_id, scopes, ip_allowlist, created_at, expires_at, rotated_from,
       issued_by, issued_by_key)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, coalesce($11, (select issued_by from api_keys where id = $12)), $13)`,
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
      issuedBy,
      actingKey,
      key.issuedByKey,
    ],
  );
}

interface NewSecret {
  secretSha256: Buffer;
  issuedBy: string | null;
  actingKey: string | null;
}

/** Whether there is a key with this id, revoked ones included. */
export async function keyExists(db: Db, keyId: string): Promise<boolean> {
  return (await db.query('select from api_keys where id = $1', [keyId])).length > 0;
}

export async function selectKeyForUpdate(db: Db, keyId: string): Promise<KeyRow | undefined> {
  const [row] = await db.query<KeyRow & Row>(`select ${columns} from api_keys where id = $1 for update`, [
    keyId,
  ]);
  return row && withScopes(row);
}

/** In the order of their ids, so that two who lock the same keys do not deadlock. */
export async function lockKeys(db: Db, keyIds: readonly string[]): Promise<KeyRow[]> {
  const rows = await db.query<KeyRow & Row>(
    `select ${columns} from api_keys where id = any($1) order by id for update`,
    [keyIds],
  );
  return rows.map(withScopes);
}

/**
 * A key and what it issued, without what is revoked, in the order of their ids. What it was rotated from
 * counts as the key. Successors of what it issued count, too, because another key may have rotated them.
 */
export async function lockFamily(db: Db, keyId: string): Promise<KeyRow[]> {
  const rows = await db.query<KeyRow & Row>(
    `with recursive self as (
       select id, rotated_from, partner_id from api_keys where id = $1
       union
       select k.id, k.rotated_from, k.partner_id from api_keys k join self s on k.id = s.rotated_from),
     issued as (
       select k.id from api_keys k join self s on k.partner_id = s.partner_id and k.issued_by_key = s.id
       union
       select k.id from issued i join api_keys k on (k.issued_by_key = i.id or k.rotated_from = i.id)
         and k.partner_id = (select partner_id from api_keys where id = $1))
     select ${columns} from api_keys
     where id = $1 or (id in (select id from issued) and revoked_at is null) order by id for update`,
    [keyId],
  );
  return rows.map(withScopes);
}

export async function revokeKeys(db: Db, keyIds: readonly string[], now: Date): Promise<void> {
  await db.query('update api_keys set revoked_at = $2 where id = any($1)', [keyIds, now]);
}

/** Keys that still work or are suspended. Keys of a partner are issued one after another until the commit. */
export async function countOpenKeys(db: Db, partnerId: string, now: Date): Promise<number> {
  await db.query(`select pg_advisory_xact_lock(hashtextextended('keys of ' || $1, 0))`, [partnerId]);
  const [row] = await db.query<{ count: number }>(
    `select count(*)::integer as count from api_keys
     where partner_id = $1 and revoked_at is null and (expires_at is null or expires_at > $2)`,
    [partnerId, now],
  );
  return row!.count;
}

/** Rows from before our scopes have none of them. */
const withScopes = <R extends { scopes: string[] }>(row: R): R => ({
  ...row,
  scopes: completeScopes(row.scopes),
});

export async function updateKeyEnd(db: Db, { id, expiresAt, revokedAt, rotatedAt }: KeyRow): Promise<void> {
  await db.query('update api_keys set expires_at = $2, revoked_at = $3, rotated_at = $4 where id = $1', [
    id,
    expiresAt,
    revokedAt,
    rotatedAt,
  ]);
}

export async function updateKeySuspension(
  db: Db,
  { id, suspendedAt, suspendedReason }: KeyRow,
): Promise<void> {
  await db.query(
    'update api_keys set suspended_at = $2, suspended_reason = $3, suspended_with = null where id = $1',
    [id, suspendedAt, suspendedReason],
  );
}

/** Those that are not suspended already; the answer has their ids. */
export async function suspendWith(
  db: Db,
  { by, keyIds, at, reason }: { by: string; keyIds: readonly string[]; at: Date; reason: string },
): Promise<string[]> {
  const rows = await db.query<{ id: string }>(
    `update api_keys set suspended_at = $3, suspended_reason = $4, suspended_with = $1
     where id = any($2) and suspended_at is null returning id`,
    [by, keyIds, at, reason],
  );
  return rows.map(({ id }) => id);
}

/** Those that were suspended with it, and not also alone. */
export async function resumeWith(db: Db, by: string, keyIds: readonly string[]): Promise<string[]> {
  const rows = await db.query<{ id: string }>(
    `update api_keys set suspended_at = null, suspended_reason = null, suspended_with = null
     where id = any($2) and suspended_with = $1 returning id`,
    [by, keyIds],
  );
  return rows.map(({ id }) => id);
}

export async function updateKeyTerms(
  db: Db,
  { id, name, scopes, ipAllowlist, expiresAt }: KeyRow,
): Promise<void> {
  await db.query(
    'update api_keys set name = $2, scopes = $3, ip_allowlist = $4, expires_at = $5 where id = $1',
    [id, name, scopes, ipAllowlist, expiresAt],
  );
}

/** Notes when keys were used, in one statement for all; once a minute, however many processes note it. */
export const upsertKeyUse = batchLoader(async (db: Db, uses: { keyId: string; at: Date }[]) => {
  await db.query(
    `insert into api_key_uses as u (key_id, last_used_at)
     select key_id, max(at) from unnest($1::text[], $2::timestamptz[]) as n (key_id, at) group by key_id order by key_id
     on conflict (key_id) do update set last_used_at = excluded.last_used_at
       where u.last_used_at <= excluded.last_used_at - interval '1 minute'`,
    [uses.map(({ keyId }) => keyId), uses.map(({ at }) => at)],
  );
  return uses.map(() => undefined);
});

export interface ListedKeyRow extends KeyRow {
  lastUsedAt: Date | null;
  stoppedBy: Stop | null;
}

const stoppedBy = `case ${Object.entries(stops)
  .map(([reason, applies]) => `when ${applies} then '${reason}'`)
  .join(' ')} end as "stoppedBy"`;

export async function selectKeys(
  db: Db,
  filter: { partnerId?: string; userId?: string; keyId?: string; after?: string; limit: number },
): Promise<ListedKeyRow[]> {
  const rows = await db.query<ListedKeyRow & Row>(
    `select ${columns}, ${stoppedBy},
       (select last_used_at from api_key_uses where key_id = k.id) as "lastUsedAt"
     from api_keys k
     where ($1::uuid is null or partner_id = $1) and ($2::uuid is null or user_id = $2) and ($3::text is null or id > $3)
       and ($5::text is null or id = $5)
     order by id limit $4`,
    [
      filter.partnerId ?? null,
      filter.userId ?? null,
      filter.after ?? null,
      filter.limit,
      filter.keyId ?? null,
    ],
  );
  return rows.map(withScopes);
}
