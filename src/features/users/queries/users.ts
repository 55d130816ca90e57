import type { Db } from '#platform/db/db';
import type { WalletRow } from './wallets.ts';

export interface UserRow {
  id: string;
  email: string;
  emailVerified: boolean;
  givenName: string;
  familyName: string;
  entityType: 'individual' | 'business';
  legalName: string | null;
  postalAddress: string | null;
  documentType: string | null;
  documentNumberSealed: Buffer | null;
  taxIdSealed: Buffer | null;
  createdAt: Date;
  updatedAt: Date;
  suspendedAt: Date | null;
  suspendedReason: string | null;
}

const columns = `id, email, email_verified as "emailVerified", given_name as "givenName", family_name as "familyName",
  entity_type as "entityType", legal_name as "legalName", postal_address as "postalAddress", document_type as "documentType",
  document_number_sealed as "documentNumberSealed", tax_id_sealed as "taxIdSealed",
  created_at as "createdAt", updated_at as "updatedAt", suspended_at as "suspendedAt",
  suspended_reason as "suspendedReason"`;

export async function newUserId(db: Db): Promise<string> {
  const [row] = await db.query<{ id: string }>('select uuidv7() as id');
  return row!.id;
}

export async function insertUser(db: Db, user: UserRow): Promise<void> {
  await db.query(
    `insert into users (id, email, email_verified, given_name, family_name, entity_type, legal_name, document_type,
       document_number_sealed, tax_id_sealed, created_at, updated_at, postal_address)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
    valuesOf(user),
  );
}

export async function updateUserRow(db: Db, user: UserRow): Promise<void> {
  await db.query(
    `update users set email = $2, email_verified = $3, given_name = $4, family_name = $5, entity_type = $6, legal_name = $7,
       document_type = $8, document_number_sealed = $9, tax_id_sealed = $10, created_at = $11, updated_at = $12,
       postal_address = $13
     where id = $1`,
    valuesOf(user),
  );
}

export async function updateUserSuspension(
  db: Db,
  { id, suspendedAt, suspendedReason }: UserRow,
): Promise<void> {
  await db.query('update users set suspended_at = $2, suspended_reason = $3 where id = $1', [
    id,
    suspendedAt,
    suspendedReason,
  ]);
}

function valuesOf(user: UserRow): unknown[] {
  const { id, email, emailVerified, givenName, familyName, entityType, legalName, documentType } = user;
  const { documentNumberSealed, taxIdSealed, createdAt, updatedAt, postalAddress } = user;
  return [
    id,
    email,
    emailVerified,
    givenName,
    familyName,
    entityType,
    legalName,
    documentType,
    documentNumberSealed,
    taxIdSealed,
    createdAt,
    updatedAt,
    postalAddress,
  ];
}

export async function selectUserForUpdate(db: Db, userId: string): Promise<UserRow | undefined> {
  const [row] = await db.query<UserRow & Record<string, unknown>>(
    `select ${columns} from users where id = $1 for update`,
    [userId],
  );
  return row;
}

// Bytes 2 and 3 of a sealed value are the version of its master key.
const sealedOtherwise = `substring(document_number_sealed from 2 for 2) <> $1 or substring(tax_id_sealed from 2 for 2) <> $1`;

const versionBytes = (version: number) => {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(version);
  return bytes;
};

/** Skips users that another transaction is changing; a later call finds them. */
export async function lockUsersSealedOtherwise(
  db: Db,
  keyVersion: number,
  limit: number,
): Promise<UserRow[]> {
  return db.query<UserRow & Record<string, unknown>>(
    `select ${columns} from users where ${sealedOtherwise} order by id limit $2 for update skip locked`,
    [versionBytes(keyVersion), limit],
  );
}

export async function countUsersSealedOtherwise(db: Db, keyVersion: number): Promise<number> {
  const [row] = await db.query<{ count: number }>(
    `select count(*)::integer as count from users where ${sealedOtherwise}`,
    [versionBytes(keyVersion)],
  );
  return row!.count;
}

/**
 * Whether there is a user with this id.
 * @example
 * if (!(await userExists(ctx.db, userId))) throw userErrors.userNotFound();
 */
export async function userExists(db: Db, userId: string): Promise<boolean> {
  return (await db.query('select 1 from users where id = $1', [userId])).length > 0;
}

/** Whether an operator suspended the user. */
export async function isUserSuspended(db: Db, userId: string): Promise<boolean> {
  const rows = await db.query('select 1 from users where id = $1 and suspended_at is not null', [userId]);
  return rows.length > 0;
}

/** The name on statements and cards; undefined if the user does not exist. */
export async function selectHolder(db: Db, userId: string): Promise<string | undefined> {
  const [row] = await db.query<{ holder: string }>(
    `select case when entity_type = 'business' and legal_name is not null then legal_name
       else trim(given_name || ' ' || family_name) end as holder from users where id = $1`,
    [userId],
  );
  return row?.holder;
}

/** For statements; null if none is recorded. */
export async function selectPostalAddress(db: Db, userId: string): Promise<string | null> {
  const [row] = await db.query<{ postalAddress: string | null }>(
    'select postal_address as "postalAddress" from users where id = $1',
    [userId],
  );
  return row?.postalAddress ?? null;
}

/** Emails by id, of the users that exist. */
export async function selectEmails(db: Db, userIds: string[]): Promise<ReadonlyMap<string, string>> {
  const rows = await db.query<{ id: string; email: string }>(
    'select id, email from users where id = any($1::uuid[])',
    [userIds],
  );
  return new Map(rows.map(({ id, email }) => [id, email]));
}

/** Whether there is any user. */
export async function hasUsers(db: Db): Promise<boolean> {
  const [row] = await db.query<{ some: boolean }>('select exists (select from users) as some');
  return row!.some;
}

const wallets = `coalesce((
       select jsonb_agg(jsonb_build_object('network', w.network, 'address', w.address, 'custody', w.custody,
         'verifiedAt', w.verified_at) order by w.network)
       from user_wallets w where w.user_id = users.id), '[]') as wallets`;

export type UserWithWalletsRow = UserRow & { wallets: WalletRow[] };

/** All stored data of a user, with the numbers encrypted. */
export async function selectUserWithWallets(db: Db, userId: string): Promise<UserWithWalletsRow | undefined> {
  const [row] = await db.query<UserWithWalletsRow & Record<string, unknown>>(
    `select ${columns}, ${wallets} from users where id = $1`,
    [userId],
  );
  return row;
}

/** Users in order of id, which is the order of creation; wallets in the same statement, not one by one. */
export async function selectUsers(
  db: Db,
  filter: { ids?: readonly string[]; id?: string; address?: string; after?: string; limit: number },
): Promise<UserWithWalletsRow[]> {
  return db.query<UserWithWalletsRow & Record<string, unknown>>(
    `select ${columns}, ${wallets} from users
     where ($1::uuid[] is null or id = any($1)) and ($2::uuid is null or id > $2) and ($4::uuid is null or id = $4)
       and ($5::text is null or id in (select user_id from user_wallets where address = $5))
     order by id limit $3`,
    [filter.ids ?? null, filter.after ?? null, filter.limit, filter.id ?? null, filter.address ?? null],
  );
}
