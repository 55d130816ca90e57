import type { Db, Row } from '#platform/db/db';
import { type PersonRow, personColumns } from './people.ts';

export interface PasskeyRow {
  credentialId: Buffer;
  personId: string;
  publicKey: Buffer;
  counter: number;
  transports: string[];
  isBackedUp: boolean;
  createdAt: Date;
  lastUsedAt: Date | null;
}

const columns = `k.credential_id as "credentialId", k.person_id as "personId", k.public_key as "publicKey",
  k.counter::float8 as counter, k.transports, k.is_backed_up as "isBackedUp", k.created_at as "createdAt",
  k.last_used_at as "lastUsedAt"`;

/** False if the credential is registered already. */
export async function insertPasskey(db: Db, key: Omit<PasskeyRow, 'lastUsedAt'>): Promise<boolean> {
  const rows = await db.query(
    `insert into person_passkeys
       (credential_id, person_id, public_key, counter, transports, is_backed_up, created_at)
     values ($1, $2, $3, $4, $5, $6, $7) on conflict do nothing returning 1`,
    [
      key.credentialId,
      key.personId,
      key.publicKey,
      key.counter,
      key.transports,
      key.isBackedUp,
      key.createdAt,
    ],
  );
  return rows.length > 0;
}

/**
 * Locked until the new counter is written: two assertions of one passkey are judged one after the other. The
 * person first, as in every change of a person.
 */
export async function lockPasskey(
  db: Db,
  credentialId: Buffer,
): Promise<{ passkey: PasskeyRow; person: PersonRow } | undefined> {
  const [person] = await db.query<PersonRow & Row>(
    `select ${personColumns} from people p
     where id = (select person_id from person_passkeys where credential_id = $1) and removed_at is null
     for key share`,
    [credentialId],
  );
  const [passkey] = await db.query<PasskeyRow & Row>(
    `select ${columns} from person_passkeys k where credential_id = $1 for update`,
    [credentialId],
  );
  return person && passkey && { passkey, person };
}

export async function updatePasskeyUse(
  db: Db,
  credentialId: Buffer,
  { counter, isBackedUp, usedAt }: { counter: number; isBackedUp: boolean; usedAt: Date },
): Promise<void> {
  await db.query(
    `update person_passkeys set counter = $2, is_backed_up = $3, last_used_at = $4 where credential_id = $1`,
    [credentialId, counter, isBackedUp, usedAt],
  );
}

export async function selectPasskeys(db: Db, personId: string): Promise<PasskeyRow[]> {
  return db.query<PasskeyRow & Row>(
    `select ${columns} from person_passkeys k where person_id = $1 order by created_at, credential_id`,
    [personId],
  );
}

export async function deletePasskey(db: Db, credentialId: Buffer): Promise<void> {
  await db.query('delete from person_passkeys where credential_id = $1', [credentialId]);
}

/** Also what the OpenID provider may sign the person in by. Returns the number of passkeys. */
export async function deletePasskeys(db: Db, personId: string): Promise<number> {
  await db.query('delete from person_identities where person_id = $1', [personId]);
  return (await db.query('delete from person_passkeys where person_id = $1 returning 1', [personId])).length;
}
