import { integrationLock } from '#features/connect/integrations';
import type { Db } from '#platform/db/db';
import type { Consent } from '../consent.ts';
import { type ConsentRow, columns, toConsent } from './consents.ts';

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
