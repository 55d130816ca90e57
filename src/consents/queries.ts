import type { Db } from '../platform/db.ts';
import type { Consent, ConsentDuration, ConsentStatus } from './consent.ts';

interface ConsentRow extends Record<string, unknown>, Omit<Consent, 'duration'> {
  duration: ConsentDuration['kind'];
  durationDays: number | null;
}

const columns = `c.id, c.integration_id as "integrationId", c.status, c.purpose, c.requested_scopes as "requestedScopes",
  c.optional_scopes as "optionalScopes", c.scopes, c.duration, c.duration_days as "durationDays",
  c.redirect_uri as "redirectUri", c.state, c.requested_at as "requestedAt", c.link_expires_at as "linkExpiresAt",
  c.user_id as "userId", c.decided_at as "decidedAt", c.expires_at as "expiresAt", c.revoked_at as "revokedAt",
  c.revoked_by as "revokedBy"`;

function toConsent({ duration: kind, durationDays, ...row }: ConsentRow): Consent {
  const duration: ConsentDuration = kind === 'days' ? { kind, days: durationDays! } : { kind };
  return {
    ...{ id: row.id, integrationId: row.integrationId, status: row.status, purpose: row.purpose },
    ...{ requestedScopes: row.requestedScopes, optionalScopes: row.optionalScopes, scopes: row.scopes },
    ...{ duration, redirectUri: row.redirectUri, state: row.state, requestedAt: row.requestedAt },
    ...{ linkExpiresAt: row.linkExpiresAt, userId: row.userId, decidedAt: row.decidedAt },
    ...{ expiresAt: row.expiresAt, revokedAt: row.revokedAt, revokedBy: row.revokedBy },
  };
}

export type NewConsent = Pick<
  Consent,
  | 'integrationId'
  | 'purpose'
  | 'requestedScopes'
  | 'optionalScopes'
  | 'duration'
  | 'redirectUri'
  | 'state'
  | 'requestedAt'
  | 'linkExpiresAt'
>;

export async function insertConsent(db: Db, consent: NewConsent, linkSha256: Buffer): Promise<Consent> {
  const { integrationId, purpose, requestedScopes, optionalScopes, duration } = consent;
  const [row] = await db.query<ConsentRow>(
    `insert into consents as c (integration_id, purpose, requested_scopes, optional_scopes, duration, duration_days,
       redirect_uri, state, requested_at, link_expires_at, link_sha256)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) returning ${columns}`,
    [
      ...[integrationId, purpose, requestedScopes, optionalScopes, duration.kind],
      ...[duration.kind === 'days' ? duration.days : null, consent.redirectUri, consent.state],
      ...[consent.requestedAt, consent.linkExpiresAt, linkSha256],
    ],
  );
  return toConsent(row!);
}

/** Whose consents somebody may act on; nothing is named for an operator. */
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

export interface HeldConsent {
  consent: Consent;
  isIntegrationRevoked: boolean;
}

/**
 * Whoever reads, reduces, revokes or ends a consent comes one after another from here on; whoever revokes its integration comes
 * before or after. Only a party's own row is locked: nobody can hold up the consents of others.
 */
export async function lockConsent(db: Db, id: string, party: Party): Promise<HeldConsent | undefined> {
  const [row] = await db.query<ConsentRow & { isIntegrationRevoked: boolean }>(
    `select ${columns}, i.revoked_at is not null as "isIntegrationRevoked"
     from consents c join integrations i on i.id = c.integration_id
     where c.id = $1 and ${isParty} for update of c for share of i`,
    [id, party.integrationId ?? null, party.userId ?? null],
  );
  return row && { consent: toConsent(row), isIntegrationRevoked: row.isIntegrationRevoked };
}

export interface IntegrationFace {
  id: string;
  name: string;
  logoColor: string;
}

export interface LinkedConsent extends HeldConsent {
  integration: IntegrationFace;
}

const face = `i.name as "integrationName", i.logo_color as "integrationColor"`;

interface FacedRow extends ConsentRow {
  integrationName: string;
  integrationColor: string;
}

const toFace = ({ integrationId, integrationName, integrationColor }: FacedRow): IntegrationFace => ({
  ...{ id: integrationId, name: integrationName, logoColor: integrationColor },
});

/** What a link asks, unless somebody else opened it before. */
export async function lockLinkedConsent(
  db: Db,
  linkSha256: Buffer,
  userId: string,
): Promise<LinkedConsent | undefined> {
  const [row] = await db.query<FacedRow & { isIntegrationRevoked: boolean }>(
    `select ${columns}, ${face}, i.revoked_at is not null as "isIntegrationRevoked"
     from consents c join integrations i on i.id = c.integration_id
     where c.link_sha256 = $1 and (c.user_id is null or c.user_id = $2) for update of c for share of i`,
    [linkSha256, userId],
  );
  return (
    row && {
      consent: toConsent(row),
      integration: toFace(row),
      isIntegrationRevoked: row.isIntegrationRevoked,
    }
  );
}

/** Whatever can change about a consent; the database refuses moves that are not legal. */
export async function updateConsent(db: Db, consent: Consent): Promise<void> {
  const { id, status, scopes, userId, decidedAt, expiresAt, revokedAt, revokedBy } = consent;
  await db.query(
    `update consents set status = $2, scopes = $3, user_id = $4, decided_at = $5, expires_at = $6, revoked_at = $7,
       revoked_by = $8
     where id = $1`,
    [id, status, scopes, userId, decidedAt, expiresAt, revokedAt, revokedBy],
  );
}

/** Skips those that somebody has in hand: whoever it is sees the clock too, and the next turn finds what is left. */
export async function lockExpired(db: Db, now: Date, limit: number): Promise<Consent[]> {
  const rows = await db.query<ConsentRow>(
    `select ${columns} from consents c where c.status = 'active' and c.expires_at <= $1
     order by c.expires_at limit $2 for update skip locked`,
    [now, limit],
  );
  return rows.map(toConsent);
}

/** Those that nobody can read any more, because their integration is revoked. */
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
  readAt: Date;
  fields: string[];
  address: string;
}

export async function insertRead(db: Db, { consentId, readAt, fields, address }: NewRead): Promise<void> {
  await db.query('insert into consent_reads (consent_id, read_at, fields, address) values ($1, $2, $3, $4)', [
    consentId,
    readAt,
    fields,
    address,
  ]);
}

export async function selectLastReadAt(db: Db, consentId: string): Promise<Date | null> {
  const [row] = await db.query<{ at: Date | null }>(
    'select max(read_at) as at from consent_reads where consent_id = $1',
    [consentId],
  );
  return row!.at;
}

export interface ConnectionRow {
  consent: Consent;
  integration: IntegrationFace;
  lastRead: { at: Date; fields: string[] } | null;
  readCount: number;
}

/** Those that last, then those that ended since, each the newest first. */
export async function selectConnections(
  db: Db,
  { userId, endedSince, limit }: { userId: string; endedSince: Date; limit: number },
): Promise<ConnectionRow[]> {
  const rows = await db.query<
    FacedRow & { lastReadAt: Date | null; lastReadFields: string[] | null; readCount: number }
  >(
    `select ${columns}, ${face}, r.read_at as "lastReadAt", r.fields as "lastReadFields",
       (select count(*)::integer from consent_reads n where n.consent_id = c.id) as "readCount"
     from consents c join integrations i on i.id = c.integration_id
       left join lateral (select read_at, fields from consent_reads
         where consent_id = c.id order by id desc limit 1) r on true
     where c.user_id = $1 and (c.status = 'active'
       or c.status in ('revoked', 'expired') and coalesce(c.revoked_at, c.expires_at) >= $2)
     order by c.status = 'active' desc, c.id desc limit $3`,
    [userId, endedSince, limit],
  );
  return rows.map((row) => ({
    ...{ consent: toConsent(row), integration: toFace(row), readCount: row.readCount },
    lastRead: row.lastReadAt && { at: row.lastReadAt, fields: row.lastReadFields! },
  }));
}

export interface ConsentFilter extends Party {
  status?: ConsentStatus;
  before?: string;
  limit: number;
}

/** Newest first. The text names only what is filtered by, so that its plan goes by the index of that. */
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
  readAt: Date;
  fields: string[];
  address: string;
}

export interface ReadFilter extends Party {
  consentId?: string;
  before?: string;
  limit: number;
}

/** Newest first; the text as above. */
export async function selectReads(db: Db, filter: ReadFilter): Promise<ReadRow[]> {
  const { consentId, userId, integrationId, before, limit } = filter;
  return db.query<ReadRow & Record<string, unknown>>(
    `select r.id::text, r.consent_id as "consentId", c.integration_id as "integrationId", c.user_id as "userId",
       r.read_at as "readAt", r.fields, r.address
     from consent_reads r join consents c on c.id = r.consent_id
     where ${consentId ? 'r.consent_id = $1' : '$1::uuid is null'}
       and ${userId ? 'c.user_id = $2' : '$2::uuid is null'}
       and ${integrationId ? 'c.integration_id = $3' : '$3::uuid is null'}
       and ($4::bigint is null or r.id < $4)
     order by r.id desc limit $5`,
    [consentId ?? null, userId ?? null, integrationId ?? null, before ?? null, limit],
  );
}

export async function countActive(db: Db): Promise<number> {
  const [row] = await db.query<{ count: number }>(
    `select count(*)::integer as count from consents where status = 'active'`,
  );
  return row!.count;
}
