import type { Db, Row } from '#platform/db/db';
import type { Picture, PictureType } from '#platform/values/picture';
import type { ApplicationRow, ApplicationStatus, CheckedApplication } from './application.ts';

const columns = `id, status, name, logo_color as "logoColor", purposes, scopes, redirect_uris as "redirectUris",
  homepage_url as "homepageUrl", privacy_url as "privacyUrl", applicant_name as "applicantName",
  applicant_email as "applicantEmail", created_at as "createdAt", expires_at as "expiresAt",
  ended_at as "endedAt", reason, integration_id as "integrationId", person_id as "personId",
  (select l.sha256 from connect_application_logos l where l.application_id = connect_applications.id) as "logoSha256"`;

/** Until the end of the transaction no other application is stored, so that the limits are exact. */
export async function lockApplying(db: Db): Promise<void> {
  await db.query(`select pg_advisory_xact_lock(hashtextextended('connect applications', 0))`);
}

/** How many wait for an operator, and how many of these are of one email. */
export async function countOpen(
  db: Db,
  { email, now }: { email: string; now: Date },
): Promise<{ all: number; ofEmail: number }> {
  const [row] = await db.query<{ all: number; ofEmail: number }>(
    `select count(*)::integer as all, (count(*) filter (where applicant_email = $1))::integer as "ofEmail"
     from connect_applications where status = 'open' and expires_at > $2`,
    [email, now],
  );
  return row!;
}

interface Stored {
  application: CheckedApplication;
  linkSha256: Buffer;
  formSha256: Buffer;
  now: Date;
  expiresAt: Date;
}

/** Returns its id, unless the form was sent before. */
export async function insertApplication(db: Db, stored: Stored): Promise<string | undefined> {
  const { application: one, linkSha256, formSha256, now, expiresAt } = stored;
  const [row] = await db.query<{ id: string }>(
    `insert into connect_applications (link_sha256, form_sha256, name, logo_color, purposes, scopes, redirect_uris,
       homepage_url, privacy_url, applicant_name, applicant_email, created_at, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
     on conflict (form_sha256) do nothing returning id`,
    [
      linkSha256,
      formSha256,
      one.name,
      one.logoColor,
      one.purposes,
      one.scopes,
      one.redirectUris,
      one.homepageUrl ?? null,
      one.privacyUrl ?? null,
      one.applicantName,
      one.applicantEmail,
      now,
      expiresAt,
    ],
  );
  return row?.id;
}

export async function insertLogo(
  db: Db,
  logo: Picture & { applicationId: string; sha256: string },
): Promise<void> {
  await db.query(
    `insert into connect_application_logos (application_id, sha256, type, bytes) values ($1, $2, $3, $4)`,
    [logo.applicationId, logo.sha256, logo.type, logo.bytes],
  );
}

export async function selectLogo(db: Db, applicationId: string): Promise<Picture | undefined> {
  const [row] = await db.query<{ type: PictureType; bytes: Buffer }>(
    'select type, bytes from connect_application_logos where application_id = $1',
    [applicationId],
  );
  return row;
}

export async function selectByLink(db: Db, linkSha256: Buffer): Promise<ApplicationRow | undefined> {
  const [row] = await db.query<ApplicationRow & Row>(
    `select ${columns} from connect_applications where link_sha256 = $1`,
    [linkSha256],
  );
  return row;
}

export async function selectApplication(db: Db, id: string): Promise<ApplicationRow | undefined> {
  const [row] = await db.query<ApplicationRow & Row>(
    `select ${columns} from connect_applications where id = $1`,
    [id],
  );
  return row;
}

/** Two operators who decide at the same time do so one after another. */
export async function lockApplication(db: Db, id: string): Promise<ApplicationRow | undefined> {
  const [row] = await db.query<ApplicationRow & Row>(
    `select ${columns} from connect_applications where id = $1 for update`,
    [id],
  );
  return row;
}

export async function endApplication(
  db: Db,
  {
    id,
    status,
    endedAt,
    reason,
    integrationId,
    personId,
  }: Pick<ApplicationRow, 'id' | 'status' | 'endedAt' | 'reason' | 'integrationId' | 'personId'>,
): Promise<void> {
  await db.query(
    `update connect_applications set status = $2, ended_at = $3, reason = $4, integration_id = $5, person_id = $6
     where id = $1`,
    [id, status, endedAt, reason, integrationId, personId],
  );
}

/** Newest first. */
export async function selectApplications(
  db: Db,
  { status, before, limit }: { status?: ApplicationStatus; before?: string; limit: number },
): Promise<ApplicationRow[]> {
  return db.query<ApplicationRow & Row>(
    `select ${columns} from connect_applications
     where ($1::text is null or status = $1) and ($2::uuid is null or id < $2) order by id desc limit $3`,
    [status ?? null, before ?? null, limit],
  );
}

export async function expireApplications(db: Db, now: Date, limit: number): Promise<number> {
  const rows = await db.query(
    `update connect_applications set status = 'expired', ended_at = expires_at where id in (
       select id from connect_applications where status = 'open' and expires_at <= $1
       limit $2 for update skip locked) returning 1`,
    [now, limit],
  );
  return rows.length;
}

export async function deleteEnded(db: Db, before: Date, limit: number): Promise<number> {
  const rows = await db.query(
    `delete from connect_applications where id in (
       select id from connect_applications where status <> 'open' and ended_at < $1
       limit $2 for update skip locked) returning 1`,
    [before, limit],
  );
  return rows.length;
}
