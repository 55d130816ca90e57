import type { Db, Row } from '#platform/db/db';
import type { PersonKind } from '../staff-roles.ts';

export interface PersonRow {
  id: string;
  kind: PersonKind;
  partnerId: string | null;
  integrationId: string | null;
  role: string;
  name: string;
  email: string;
  createdAt: Date;
  removedAt: Date | null;
  canSignIn: boolean;
}

export const personColumns = `p.id, p.kind, p.partner_id as "partnerId", p.integration_id as "integrationId", p.role,
  p.name, p.email, p.created_at as "createdAt", p.removed_at as "removedAt",
  exists (select from person_passkeys own where own.person_id = p.id)
    or exists (select from person_identities own where own.person_id = p.id) as "canSignIn"`;

/** Undefined if the employer already has a person with this email. */
export async function insertPerson(
  db: Db,
  person: Omit<PersonRow, 'id' | 'removedAt' | 'canSignIn'>,
): Promise<PersonRow | undefined> {
  const [row] = await db.query<PersonRow & Row>(
    `insert into people as p (kind, partner_id, integration_id, role, name, email, created_at)
     values ($1, $2, $3, $4, $5, $6, $7)
     on conflict (email, partner_id, integration_id) where removed_at is null do nothing
     returning ${personColumns}`,
    [
      person.kind,
      person.partnerId,
      person.integrationId,
      person.role,
      person.name,
      person.email,
      person.createdAt,
    ],
  );
  return row;
}

export async function selectPerson(db: Db, personId: string): Promise<PersonRow | undefined> {
  const [row] = await db.query<PersonRow & Row>(`select ${personColumns} from people p where id = $1`, [
    personId,
  ]);
  return row;
}

/** Those that are not removed, in order of id, so that two who lock each other do not deadlock. */
export async function lockPeople(db: Db, personIds: readonly string[]): Promise<PersonRow[]> {
  return db.query<PersonRow & Row>(
    `select ${personColumns} from people p where id = any ($1::uuid[]) and removed_at is null
     order by id for update`,
    [personIds],
  );
}

/** Staff of the operator with this email, with those that were removed. */
export async function selectOperatorStaff(
  db: Db,
  email: string,
): Promise<Pick<PersonRow, 'id' | 'role' | 'createdAt' | 'removedAt'>[]> {
  return db.query<PersonRow & Row>(
    `select id, role, created_at as "createdAt", removed_at as "removedAt" from people
     where email = $1 and kind = 'operator' order by id desc limit 100`,
    [email],
  );
}

export interface PeopleSearch {
  partnerId?: string | undefined;
  integrationId?: string | undefined;
  after?: string | undefined;
  limit: number;
}

/** Oldest first, with those that are removed. */
export async function selectPeople(db: Db, search: PeopleSearch): Promise<PersonRow[]> {
  return db.query<PersonRow & Row>(
    `select ${personColumns} from people p
     where ($1::uuid is null or partner_id = $1) and ($2::uuid is null or integration_id = $2)
       and ($3::uuid is null or id > $3)
     order by id limit $4`,
    [search.partnerId ?? null, search.integrationId ?? null, search.after ?? null, search.limit],
  );
}

export async function updatePersonRole(db: Db, personId: string, role: string): Promise<void> {
  await db.query('update people set role = $2 where id = $1', [personId, role]);
}

export async function markPersonRemoved(db: Db, personId: string, removedAt: Date): Promise<void> {
  await db.query('update people set removed_at = $2 where id = $1', [personId, removedAt]);
}
