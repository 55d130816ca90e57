import type { Db } from '#platform/db/db';
import type { Consent, ConsentDuration, ConsentStatus } from '../consent.ts';

export interface ConsentRow extends Record<string, unknown>, Omit<Consent, 'duration'> {
  duration: ConsentDuration['kind'];
  durationDays: number | null;
}

export const columns = `c.id, c.integration_id as "integrationId", c.status, c.purpose, c.purpose_pt as "purposePt", c.requested_scopes as "requestedScopes",
  c.optional_scopes as "optionalScopes", c.scopes, c.duration, c.duration_days as "durationDays",
  c.redirect_uri as "redirectUri", c.state, c.requested_at as "requestedAt", c.link_expires_at as "linkExpiresAt",
  c.user_id as "userId", c.decided_at as "decidedAt", c.expires_at as "expiresAt", c.revoked_at as "revokedAt",
  c.revoked_by as "revokedBy", c.last_read_at as "lastReadAt", c.read_count::float8 as "readCount"`;

export function toConsent({ duration: kind, durationDays, ...row }: ConsentRow): Consent {
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
