import { integrationLock } from '#features/connect/integrations';
import type { Db } from '#platform/db/db';
import type { Consent, ConsentDuration, ConsentStatus } from './consent.ts';

interface ConsentRow extends Record<string, unknown>, Omit<Consent, 'duration'> {
  duration: ConsentDuration['kind'];
  durationDays: number | null;
}

const columns = `c.id, c.integration_id as "integrationId", c.status, c.purpose, c.purpose_pt as "purposePt", c.requested_scopes as "requestedScopes",
  c.optional_scopes as "optionalScopes", c.scopes, c.duration, c.duration_days as "durationDays",
  c.redirect_uri as "redirectUri", c.state, c.requested_at as "requestedAt", c.link_expires_at as "linkExpiresAt",
  c.user_id as "userId", c.decided_at as "decidedAt", c.expires_at as "expiresAt", c.revoked_at as "revokedAt",
  c.revoked_by as "revokedBy", c.last_read_at as "lastReadAt", c.read_count::float8 as "readCount"`;

function toConsent({ duration: kind, durationDays, ...row }: ConsentRow): Consent {
  const duration: ConsentDuration = kind === 'days' ? { kind, days: durationDays! } : { kind };
  return {
    id: row.id,
    integrationId: row.integrationId,
    status: row.status,
    purpose: row.purpose,
    purposePt: row.purposePt,
    requestedScopes: row.requestedScopes,
    optionalScopes: row.optionalScopes,
    scopes: row.scopes,
    duration,
    redirectUri: row.redirectUri,
    state: row.state,
    requestedAt: row.requestedAt,
    linkExpiresAt: row.linkExpiresAt,
    userId: row.userId,
    decidedAt: row.decidedAt,
    expiresAt: row.expiresAt,
    revokedAt: row.revokedAt,
    revokedBy: row.revokedBy,
    lastReadAt: row.lastReadAt,
    readCount: row.readCount,
  };
}

export type NewConsent = Pick<
  Consent,
  | 'integrationId'
  | 'purpose'
  | 'purposePt'
  | 'requestedScopes'
  | 'optionalScopes'
  | 'duration'
  | 'redirectUri'
  | 'state'
  | 'requestedAt'
  | 'linkExpiresAt'
>;

export async function insertConsent(db: Db, consent: NewConsent, linkSha256: Buffer): Promise<Consent> {
  const { integrationId, purpose, purposePt, requestedScopes, optionalScopes, duration } = consent;
  const [row] = await db.query<ConsentRow>(
    `insert into consents as c (integration_id, purpose, requested_scopes, optional_scopes, duration, duration_days,
       redirect_uri, state, requested_at, link_expires_at, link_sha256, purpose_pt)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) returning ${columns}`,
    [
      integrationId,
      purpose,
      requestedScopes,
      optionalScopes,
      duration.kind,
      duration.kind === 'days' ? duration.days : null,
      consent.redirectUri,
      consent.state,
      consent.requestedAt,
      consent.linkExpiresAt,
      linkSha256,
      purposePt,
    ],
  );
  return toConsent(row!);
}

/** Whose consents the actor may change; an operator has no filter. */
export interface Party {
  integrationId?: string;
  userId?: string;
}

const isParty = '($2::uuid is null or c.integration_id = $2) and ($3::uuid is null or c.user_id = $3)';

export async function selectConsent(db: Db, id: string, party: Party): Promise<Consent | undefined> {
  const [row] = await db.query<ConsentRow>(
    `select ${columns} from consents c where c.id = $1 and ${isParty}`,
    [id, party.integrationId ?? null, party.userId ?? null],
  );
  return row && toConsent(row);
}

export async function consentExists(db: Db, id: string): Promise<boolean> {
  return (await db.query('select 1 from consents where id = $1', [id])).length > 0;
}

/**
 * Locks a consent, so that reads, reductions, revocations and ends happen one after another. Only a party's
 * own row is locked: nobody can block the consents of others.
 */
export async function lockConsent(db: Db, id: string, party: Party): Promise<Consent | undefined> {
  const [row] = await db.query<ConsentRow>(
    `select ${columns} from consents c where c.id = $1 and ${isParty} for update`,
    [id, party.integrationId ?? null, party.userId ?? null],
  );
  return row && toConsent(row);
}

export interface IntegrationFace {
  id: string;
  name: string;
  logoColor: string;
  homepageUrl: string | null;
  privacyUrl: string | null;
  logoSha256: string | null;
}

export interface LinkedConsent {
  consent: Consent;
  integration: IntegrationFace;
  /** The integration was revoked, or its redirect URI is no longer registered. */
  isWithdrawn: boolean;
}

const face = `i.name as "integrationName", i.logo_color as "integrationColor", i.homepage_url as "homepageUrl",
  i.privacy_url as "privacyUrl",
  (select l.sha256 from integration_logos l where l.integration_id = i.id) as "logoSha256"`;

interface FacedRow extends ConsentRow, Omit<IntegrationFace, 'id' | 'name' | 'logoColor'> {
  integrationName: string;
  integrationColor: string;
}

const toFace = (row: FacedRow): IntegrationFace => ({
  id: row.integrationId,
  name: row.integrationName,
  logoColor: row.integrationColor,
  homepageUrl: row.homepageUrl,
  privacyUrl: row.privacyUrl,
  logoSha256: row.logoSha256,
});

/**
 * What a link requests, unless another user opened it first; revoking its integration happens before or
 * after.
 */
export async function lockLinkedConsent(
  db: Db,
  linkSha256: Buffer,
  userId: string,
): Promise<LinkedConsent | undefined> {
  await db.query(
    `select pg_advisory_xact_lock_shared(${integrationLock('integration_id')}) from consents where link_sha256 = $1`,
    [linkSha256],
  );
  const [row] = await db.query<FacedRow & { isWithdrawn: boolean }>(
    `select ${columns}, ${face},
       i.revoked_at is not null or c.redirect_uri <> all (i.redirect_uris) as "isWithdrawn"
     from consents c join integrations i on i.id = c.integration_id
     where c.link_sha256 = $1 and (c.user_id is null or c.user_id = $2) for update of c`,
    [linkSha256, userId],
  );
  return (
    row && {
      consent: toConsent(row),
      integration: toFace(row),
      isWithdrawn: row.isWithdrawn,
    }
  );
}

/** The fields of a consent that can change; the database refuses illegal moves. */
export async function updateConsent(db: Db, consent: Consent): Promise<void> {
  const { id, status, scopes, userId, decidedAt, expiresAt, revokedAt, revokedBy, lastReadAt, readCount } =
    consent;
  await db.query(
    `update consents set status = $2, scopes = $3, user_id = $4, decided_at = $5, expires_at = $6, revoked_at = $7,
       revoked_by = $8, last_read_at = $9, read_count = $10
     where id = $1`,
    [id, status, scopes, userId, decidedAt, expiresAt, revokedAt, revokedBy, lastReadAt, readCount],
  );
}

/** Skips locked rows: their holder checks the clock too, and the next turn finds the rest. */
export async function lockExpired(db: Db, now: Date, limit: number): Promise<Consent[]> {
  const rows = await db.query<ConsentRow>(
    `select ${columns} from consents c where c.status = 'active' and c.expires_at <= $1
     order by c.expires_at limit $2 for update skip locked`,
    [now, limit],
  );
  return rows.map(toConsent);
}

/** Consents that nobody can read any more, because their integration is revoked. */
export async function lockOrphaned(db: Db, limit: number): Promise<Consent[]> {
  const rows = await db.query<ConsentRow>(
    `select ${columns}
     from integrations i join consents c on c.integration_id = i.id and c.status = 'active'
     where i.revoked_at is not null limit $1 for update of c skip locked`,
    [limit],
  );
  return rows.map(toConsent);
}

export interface NewRead {
  consentId: string;
  keyId: string;
  readAt: Date;
  fields: string[];
  address: string;
}

export async function insertRead(db: Db, read: NewRead): Promise<void> {
  await db.query(
    'insert into consent_reads (consent_id, key_id, read_at, fields, address) values ($1, $2, $3, $4, $5)',
    [read.consentId, read.keyId, read.readAt, read.fields, read.address],
  );
}

export interface ConnectionRow {
  consent: Consent;
  integration: IntegrationFace;
  /** A revoked integration reads nothing, whether the worker has revoked its consents already or not. */
  integrationRevokedAt: Date | null;
  lastRead: { at: Date; fields: string[] } | null;
  readCount: number;
}

interface ConnectedRow extends FacedRow {
  integrationRevokedAt: Date | null;
  lastReadFields: string[] | null;
}

/** All active ones, then the newest ended ones, each newest first. */
export async function selectConnections(
  db: Db,
  { userId, now, endedSince, endedMax }: { userId: string; now: Date; endedSince: Date; endedMax: number },
): Promise<ConnectionRow[]> {
  const lasts = `c.status = 'active' and i.revoked_at is null and (c.expires_at is null or c.expires_at > $2)`;
  const connected = (
    isLasting: boolean,
  ) => `select ${columns}, ${face}, i.revoked_at as "integrationRevokedAt",
       (select r.fields from consent_reads r where r.consent_id = c.id order by r.id desc limit 1) as "lastReadFields",
       ${isLasting} as "isLasting"
     from consents c join integrations i on i.id = c.integration_id where c.user_id = $1`;
  const rows = await db.query<ConnectedRow>(
    `select * from (
       (${connected(true)} and ${lasts})
       union all
       (${connected(false)} and c.status in ('active', 'revoked', 'expired') and not (${lasts})
         and coalesce(c.revoked_at, least(c.expires_at, i.revoked_at)) >= $3
       order by c.id desc limit $4)) listed
     order by "isLasting" desc, id desc`,
    [userId, now, endedSince, endedMax],
  );
  return rows.map((row) => ({
    consent: toConsent(row),
    integration: toFace(row),
    integrationRevokedAt: row.integrationRevokedAt,
    readCount: row.readCount,
    lastRead: row.lastReadAt && { at: row.lastReadAt, fields: row.lastReadFields! },
  }));
}

export interface ConsentFilter extends Party {
  status?: ConsentStatus;
  before?: string;
  limit: number;
}

/** Newest first. The statement names only the filters in use, so that its plan uses their index. */
export async function selectConsents(db: Db, filter: ConsentFilter): Promise<Consent[]> {
  const { userId, integrationId, status, before, limit } = filter;
  const rows = await db.query<ConsentRow>(
    `select ${columns} from consents c
     where ${userId ? 'c.user_id = $1' : '$1::uuid is null'}
       and ${integrationId ? 'c.integration_id = $2' : '$2::uuid is null'}
       and ${status ? 'c.status = $3' : '$3::consent_status is null'}
       and ($4::uuid is null or c.id < $4)
     order by c.id desc limit $5`,
    [userId ?? null, integrationId ?? null, status ?? null, before ?? null, limit],
  );
  return rows.map(toConsent);
}

export interface ReadRow {
  id: string;
  consentId: string;
  integrationId: string;
  userId: string;
  keyId: string;
  readAt: Date;
  fields: string[];
  address: string;
}

export interface ReadFilter extends Party {
  consentId?: string;
  before?: string;
  limit: number;
}

/** Newest first; filters as above. */
export async function selectReads(db: Db, filter: ReadFilter): Promise<ReadRow[]> {
  const { consentId, userId, integrationId, before, limit } = filter;
  return db.query<ReadRow & Record<string, unknown>>(
    `select r.id::text, r.consent_id as "consentId", c.integration_id as "integrationId", c.user_id as "userId",
       r.key_id as "keyId", r.read_at as "readAt", r.fields, r.address
     from consent_reads r join consents c on c.id = r.consent_id
     where ${consentId ? 'r.consent_id = $1' : '$1::uuid is null'}
       and ${userId ? 'c.user_id = $2' : '$2::uuid is null'}
       and ${integrationId ? 'c.integration_id = $3' : '$3::uuid is null'}
       and ($4::bigint is null or r.id < $4)
     order by r.id desc limit $5`,
    [consentId ?? null, userId ?? null, integrationId ?? null, before ?? null, limit],
  );
}

/** At most `limitEach` of each consent of the user, newest first. */
export async function selectNewestReads(
  db: Db,
  { userId, consentIds, limitEach }: { userId: string; consentIds: readonly string[]; limitEach: number },
): Promise<{ consentId: string; at: Date; fields: string[] }[]> {
  return db.query<{ consentId: string; at: Date; fields: string[] }>(
    `select r.consent_id as "consentId", r.read_at as at, r.fields
     from consents c cross join lateral (select * from consent_reads
       where consent_id = c.id order by id desc limit $3) r
     where c.id = any($2::uuid[]) and c.user_id = $1
     order by r.id desc`,
    [userId, consentIds, limitEach],
  );
}

export async function countActive(db: Db): Promise<number> {
  const [row] = await db.query<{ count: number }>(
    `select count(*)::integer as count from consents where status = 'active'`,
  );
  return row!.count;
}

export async function upsertReadCount(
  db: Db,
  { integrationId, at, outcome }: { integrationId: string; at: Date; outcome: string },
): Promise<void> {
  await db.query(
    `insert into consent_read_counts as c (integration_id, hour, outcome, count)
     values ($1, date_trunc('hour', $2::timestamptz, 'UTC'), $3, 1)
     on conflict (integration_id, hour, outcome) do update set count = c.count + 1`,
    [integrationId, at, outcome],
  );
}

/** A batch of those that nobody looks at any more; returns how many it was. */
export async function deleteReadCounts(db: Db, before: Date, limit: number): Promise<number> {
  const deleted = await db.query(
    `delete from consent_read_counts where ctid in (
       select ctid from consent_read_counts where hour < $1 limit $2) returning 1`,
    [before, limit],
  );
  return deleted.length;
}

export async function countByStatus(
  db: Db,
  integrationId: string,
): Promise<{ status: ConsentStatus; count: number }[]> {
  return db.query<{ status: ConsentStatus; count: number }>(
    `select status, count(*)::float8 as count from consents where integration_id = $1 group by status`,
    [integrationId],
  );
}

export interface RequestedDay {
  day: string;
  requested: number;
  granted: number;
  rejected: number;
}

/** Days in UTC on which users were asked. Ids are in order of time, so only new rows are read. */
export async function selectRequestedDays(
  db: Db,
  integrationId: string,
  since: Date,
): Promise<RequestedDay[]> {
  return db.query<RequestedDay & Record<string, unknown>>(
    `select to_char(requested_at at time zone 'UTC', 'YYYY-MM-DD') as day, count(*)::float8 as requested,
       (count(*) filter (where decided_at is not null and status <> 'rejected'))::float8 as granted,
       (count(*) filter (where status = 'rejected'))::float8 as rejected
     from consents
     where integration_id = $1 and requested_at >= $2
       and id >= encode(substring(int8send((extract(epoch from $2::timestamptz - interval '1 day') * 1000)::bigint)
         from 3) || decode('00000000000000000000', 'hex'), 'hex')::uuid
     group by day order by day`,
    [integrationId, since],
  );
}

export interface ReadCountRow {
  hour: Date;
  outcome: string;
  count: number;
}

/** Newest first. */
export async function selectReadCounts(db: Db, integrationId: string, since: Date): Promise<ReadCountRow[]> {
  return db.query<ReadCountRow & Record<string, unknown>>(
    `select hour, outcome, count::float8 as count from consent_read_counts
     where integration_id = $1 and hour >= $2 order by hour desc, outcome`,
    [integrationId, since],
  );
}
