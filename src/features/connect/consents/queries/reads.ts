import type { Db } from '#platform/db/db';
import type { Party } from './consents.ts';

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
