import type { Db, Row } from '#platform/db/db';
import type { Endpoint, EndpointState, Owner } from '../endpoint.ts';

const columns = `e.id, e.stream_id as "streamId", s.partner_id as "partnerId", s.integration_id as "integrationId",
  e.user_id as "userId", e.is_for_all_users as "isForAllUsers", e.url, e.types, e.is_ordered as "isOrdered", e.description,
  e.public_key as "publicKey", e.former_public_key as "formerPublicKey", e.former_ends_at as "formerEndsAt",
  e.created_at as "createdAt", e.updated_at as "updatedAt", e.failing_since as "failingSince", e.disabled_at as "disabledAt",
  e.disabled_reason as "disabledReason", e.resume_after as "resumeAfter", e.set_by_key as "setByKey"`;

const endpoints = 'webhook_endpoints e join event_streams s on s.id = e.stream_id';

/** Parameters $1 to $3; null means any. */
const isOwn = `($1::uuid is null or s.partner_id = $1) and ($2::uuid is null or e.user_id is null or e.user_id = $2)
  and ($3::uuid is null or s.integration_id = $3) and e.deleted_at is null`;
const own = (owner: Owner | undefined) => [
  owner?.partnerId ?? null,
  owner?.userId ?? null,
  owner?.integrationId ?? null,
];

/** The stream of a subscriber; undefined if it has none, or is an integration that was revoked. */
export async function selectStream(db: Db, { partnerId, integrationId }: Owner): Promise<bigint | undefined> {
  const [row] = await db.query<{ id: bigint }>(
    `select s.id from event_streams s left join integrations i on i.id = s.integration_id
     where (s.partner_id = $1 or s.integration_id = $2) and i.revoked_at is null`,
    [partnerId ?? null, integrationId ?? null],
  );
  return row?.id;
}

/** No event of the stream is numbered until the commit. */
export async function lockStream(db: Db, streamId: bigint): Promise<{ lastSequence: bigint }> {
  const [row] = await db.query<{ lastSequence: bigint }>(
    'select last_sequence as "lastSequence" from event_streams where id = $1 for no key update',
    [streamId],
  );
  return row!;
}

export async function countEndpoints(db: Db, streamId: bigint): Promise<number> {
  const [row] = await db.query<{ count: number }>(
    'select count(*)::integer as count from webhook_endpoints where stream_id = $1 and deleted_at is null',
    [streamId],
  );
  return row!.count;
}

export interface NewEndpoint {
  id: string;
  streamId: bigint;
  userId: string | null;
  isForAllUsers: boolean;
  url: string;
  types: readonly string[] | null;
  isOrdered: boolean;
  description: string;
  secret: Buffer;
  publicKey: string;
  setByKey: string | null;
  now: Date;
}

/** Later ones are greater, which is the order of lists. */
export async function newEndpointId(db: Db): Promise<string> {
  const [row] = await db.query<{ id: string }>('select uuidv7() as id');
  return row!.id;
}

export async function insertEndpoint(db: Db, endpoint: NewEndpoint): Promise<void> {
  const { id, streamId, userId, isForAllUsers, url, types, isOrdered, description, secret, publicKey } =
    endpoint;
  const { setByKey, now } = endpoint;
  await db.query(
    `insert into webhook_endpoints (id, stream_id, user_id, is_for_all_users, url, types, is_ordered, description, secret,
       public_key, created_at, updated_at, set_by_key)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $11, $12)`,
    [
      id,
      streamId,
      userId,
      isForAllUsers,
      url,
      types,
      isOrdered,
      description,
      secret,
      publicKey,
      now,
      setByKey,
    ],
  );
}

export async function selectEndpoint(
  db: Db,
  owner: Owner | undefined,
  endpointId: string,
  lock: '' | 'for no key update of e' = '',
): Promise<Endpoint | undefined> {
  const [row] = await db.query<Endpoint & Row>(
    `select ${columns} from ${endpoints} where ${isOwn} and e.id = $4 ${lock}`,
    [...own(owner), endpointId],
  );
  return row;
}

const state = `case when e.disabled_at is not null then 'disabled' when e.failing_since is not null then 'failing'
  else 'working' end`;

export interface EndpointFilter {
  endpointId?: string | undefined;
  state?: EndpointState | undefined;
  after: string | undefined;
  limit: number;
}

/** Oldest first. */
export async function selectEndpoints(
  db: Db,
  owner: Owner | undefined,
  { endpointId, state: wanted, after, limit }: EndpointFilter,
): Promise<Endpoint[]> {
  return db.query<Endpoint & Row>(
    `select ${columns} from ${endpoints} where ${isOwn} and ($4::uuid is null or e.id > $4)
       and ($6::uuid is null or e.id = $6) and ($7::text is null or ${state} = $7)
     order by e.id limit $5`,
    [...own(owner), after ?? null, limit, endpointId ?? null, wanted ?? null],
  );
}

export async function updateEndpointRow(db: Db, endpoint: Endpoint): Promise<void> {
  const { id, url, types, isOrdered, description, updatedAt, disabledAt, disabledReason, resumeAfter } =
    endpoint;
  await db.query(
    `update webhook_endpoints set url = $2, types = $3, is_ordered = $4, description = $5, updated_at = $6, disabled_at = $7,
       disabled_reason = $8, resume_after = $9, failing_since = $10, set_by_key = $11
     where id = $1`,
    [
      id,
      url,
      types,
      isOrdered,
      description,
      updatedAt,
      disabledAt,
      disabledReason,
      resumeAfter,
      endpoint.failingSince,
      endpoint.setByKey,
    ],
  );
}

/** Null: it misses nothing. */
export async function setResumeAfter(db: Db, endpointId: string, resumeAfter: bigint | null): Promise<void> {
  await db.query('update webhook_endpoints set resume_after = $2 where id = $1', [endpointId, resumeAfter]);
}

/** The former keys sign until `formerEndsAt`; those before them no longer do. */
export async function replaceKeys(
  db: Db,
  keys: { endpointId: string; secret: Buffer; publicKey: string; formerEndsAt: Date; now: Date },
): Promise<void> {
  await db.query(
    `update webhook_endpoints set former_secret = secret, former_public_key = public_key, former_ends_at = $4, secret = $2,
       public_key = $3, updated_at = $5
     where id = $1`,
    [keys.endpointId, keys.secret, keys.publicKey, keys.formerEndsAt, keys.now],
  );
}

export async function markDeleted(db: Db, endpointId: string, now: Date): Promise<void> {
  await db.query('update webhook_endpoints set deleted_at = $2 where id = $1', [endpointId, now]);
}

/**
 * Those that only failed since then, and were tried in the last of these days: a single failure in quiet
 * times disables nothing, nor a suspension.
 */
export async function selectFailing(db: Db, since: Date, limit: number): Promise<string[]> {
  const rows = await db.query<{ id: string }>(
    `select e.id from webhook_endpoints e join event_streams s on s.id = e.stream_id left join partners p on p.id = s.partner_id
     where e.failing_since <= $1 and e.disabled_at is null and e.deleted_at is null and p.suspended_at is null
       and exists (
         select from (select id from webhook_deliveries where endpoint_id = e.id order by id desc limit 1000) d
         join webhook_attempts a on a.delivery_id = d.id
         where a.started_at >= e.failing_since + interval '4 days')
     order by e.failing_since limit $2`,
    [since, limit],
  );
  return rows.map(({ id }) => id);
}

/** Those that a key set which is revoked or suspended: see `isStopped` in claims.ts. */
export async function selectOfStoppedKeys(
  db: Db,
  limit: number,
): Promise<{ endpointId: string; setByKey: string }[]> {
  return db.query<{ endpointId: string; setByKey: string }>(
    `select e.id as "endpointId", e.set_by_key as "setByKey"
     from webhook_endpoints e join api_keys k on k.id = e.set_by_key
     where e.disabled_at is null and e.deleted_at is null and (k.revoked_at is not null or k.suspended_at is not null)
     order by e.id limit $1`,
    [limit],
  );
}

/** Public: the keys by which anybody can verify what an endpoint receives. */
export async function selectPublicKeys(db: Db, endpointId: string, now: Date): Promise<string[] | undefined> {
  const [row] = await db.query<{ keys: string[] }>(
    `select array_remove(array[public_key, case when former_ends_at > $2 then former_public_key end], null) as keys
     from webhook_endpoints where id = $1 and deleted_at is null`,
    [endpointId, now],
  );
  return row?.keys;
}

export interface SealedKeys {
  id: string;
  secret: Buffer;
  formerSecret: Buffer | null;
}

const sealedOtherwise = `get_byte(secret, 1) * 256 + get_byte(secret, 2) <> $1
  or get_byte(former_secret, 1) * 256 + get_byte(former_secret, 2) <> $1`;

export async function lockSealedOtherwise(db: Db, version: number, limit: number): Promise<SealedKeys[]> {
  return db.query<SealedKeys & Row>(
    `select id, secret, former_secret as "formerSecret" from webhook_endpoints where ${sealedOtherwise}
     order by id limit $2 for no key update`,
    [version, limit],
  );
}

export async function countSealedOtherwise(db: Db, version: number): Promise<number> {
  const [row] = await db.query<{ count: number }>(
    `select count(*)::integer as count from webhook_endpoints where ${sealedOtherwise}`,
    [version],
  );
  return row!.count;
}

export async function updateSealed(db: Db, { id, secret, formerSecret }: SealedKeys): Promise<void> {
  await db.query('update webhook_endpoints set secret = $2, former_secret = $3 where id = $1', [
    id,
    secret,
    formerSecret,
  ]);
}

export async function countByState(db: Db): Promise<{ state: string; count: bigint }[]> {
  return db.query<{ state: string; count: bigint } & Row>(
    `select ${state} as state, count(*) as count from webhook_endpoints e where e.deleted_at is null group by 1`,
  );
}
