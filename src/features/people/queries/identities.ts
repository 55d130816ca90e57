import type { Db, Row } from '#platform/db/db';
import { type PersonRow, personColumns } from './people.ts';

export interface IdentityRow {
  issuer: string;
  subject: string;
}

/** False if the identity is somebody's already. */
export async function insertIdentity(
  db: Db,
  { issuer, subject, personId, createdAt }: IdentityRow & { personId: string; createdAt: Date },
): Promise<boolean> {
  const rows = await db.query(
    `insert into person_identities (issuer, subject, person_id, created_at) values ($1, $2, $3, $4)
     on conflict do nothing returning 1`,
    [issuer, subject, personId, createdAt],
  );
  return rows.length > 0;
}

/** Locked against removal until the session is written. */
export async function lockPersonByIdentity(
  db: Db,
  { issuer, subject }: IdentityRow,
): Promise<PersonRow | undefined> {
  const [row] = await db.query<PersonRow & Row>(
    `select ${personColumns} from people p
     where id = (select person_id from person_identities where issuer = $1 and subject = $2)
       and removed_at is null
     for key share`,
    [issuer, subject],
  );
  return row;
}

export async function hasIdentity(db: Db, personId: string): Promise<boolean> {
  return (
    (await db.query('select 1 from person_identities where person_id = $1 limit 1', [personId])).length > 0
  );
}
