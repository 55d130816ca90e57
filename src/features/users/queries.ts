import { batchLoader } from '#platform/db/batch-loader';
import type { Db } from '#platform/db/db';
import { localPartKey, normalizeEmail } from './email.ts';

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

/** Who holds the keys of a wallet: only wallets in custody of the platform count as balance. */
export const custodies = ['platform', 'self'] as const;
export type Custody = (typeof custodies)[number];

export interface WalletRow {
  network: string;
  address: string;
  custody: Custody;
  verifiedAt: string;
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

/**
 * May have the email whose normal form is $1, with the local part's key $2: stored so, or in another spelling
 * by a release before emails were normalized. The index `users_old_emails` has the last two conditions.
 */
const mayHaveEmail = `(u.email = $1 or normalize(split_part(u.email, '@', 1), NFKC) = $2
  and (octet_length(u.email) > length(u.email) or u.email like '%xn--%'))`;

const isSpellingOf = (normal: string) => (row: { email: string }) =>
  row.email === normal || normalizeEmail(row.email) === normal;

/** Ids of the users with an email, whose normal form is given. Several only from older releases. */
export async function selectIdsByEmail(db: Db, normal: string): Promise<string[]> {
  const rows = await db.query<{ id: string; email: string }>(
    `select u.id, u.email from users u where ${mayHaveEmail} order by u.id`,
    [normal, localPartKey(normal)],
  );
  return rows.filter(isSpellingOf(normal)).map(({ id }) => id);
}

/** Emails that may not be in their normal form: all that are not plain ASCII, and a few that are. */
export const oddEmail = `octet_length(email) > length(email) or email like '%xn--%' or email !~
  '^[a-z0-9!#$%&''*+/=?^_\`{|}~.-]+@([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?[.])+[a-z]([a-z0-9-]{0,61}[a-z0-9])?$'`;

export interface EmailRow {
  id: string;
  email: string;
  /** It may not be in its normal form. */
  isOdd: boolean;
}

/**
 * The next users by id. The others are read, too, and left to the caller: a statement that looked for odd
 * emails would read the whole table where there are few.
 */
export async function selectEmailsAfter(
  db: Db,
  { after = '00000000-0000-0000-0000-000000000000', limit }: { after?: string | undefined; limit: number },
): Promise<EmailRow[]> {
  return db.query<EmailRow & Record<string, unknown>>(
    `select id, email, (${oddEmail}) as "isOdd" from users where id > $1 order by id limit $2`,
    [after, limit],
  );
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

export async function selectWallet(
  db: Db,
  userId: string,
  network: string,
): Promise<{ address: string; custody: Custody } | undefined> {
  const [row] = await db.query<{ address: string; custody: Custody }>(
    'select address, custody from user_wallets where user_id = $1 and network = $2',
    [userId, network],
  );
  return row;
}

/** Users by their wallets in custody of the platform on a network, among the addresses. */
export async function selectOwners(
  db: Db,
  network: string,
  addresses: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (addresses.length === 0) return new Map();
  const rows = await db.query<{ address: string; userId: string }>(
    `select address, user_id as "userId" from user_wallets
     where network = $1 and custody = 'platform' and address = any($2::text[])`,
    [network, addresses],
  );
  return new Map(rows.map(({ address, userId }) => [address, userId]));
}

export async function upsertWallet(
  db: Db,
  wallet: { userId: string; network: string; address: string; custody: Custody; verifiedAt: Date },
): Promise<void> {
  const { userId, network, address, custody, verifiedAt } = wallet;
  await db.query(
    `insert into user_wallets (user_id, network, address, custody, verified_at) values ($1, $2, $3, $4, $5)
     on conflict (user_id, network) do update
     set address = excluded.address, custody = excluded.custody, verified_at = excluded.verified_at`,
    [userId, network, address, custody, verifiedAt],
  );
}

export async function deleteWallet(db: Db, userId: string, network: string): Promise<void> {
  await db.query('delete from user_wallets where user_id = $1 and network = $2', [userId, network]);
}

/** Whether a withdrawal to the address is in progress that will be credited to a user. */
export async function hasOpenCredit(db: Db, network: string, address: string): Promise<boolean> {
  const rows = await db.query(
    `select 1 from withdrawals where status in ('queued', 'pending', 'processing') and network = $1 and to_address = $2
       and recipient_user_id is not null limit 1`,
    [network, address],
  );
  return rows.length > 0;
}

/**
 * Until the end of the transaction, nobody else can register the address as a wallet, or pay it because it is
 * not one.
 */
export async function lockAddress(db: Db, address: string): Promise<void> {
  await db.query(`select pg_advisory_xact_lock(hashtextextended('address ' || $1::text, 0))`, [address]);
}

/** Whether a user has held its keys, on any network: the same keys sign on all of them. */
export async function wasInSelfCustody(db: Db, address: string): Promise<boolean> {
  // While an upgrade is under way, a process of the release before may record a wallet without the trigger.
  const rows = await db.query(
    `select 1 from self_custody_addresses where address = $1
     union all select 1 from user_wallets where address = $1 and custody = 'self'`,
    [address],
  );
  return rows.length > 0;
}

/** Where else this address is a platform wallet: the same keys sign on all networks. */
export function selectPlatformElsewhere(
  db: Db,
  address: string,
  network: string,
): Promise<{ userId: string; network: string }[]> {
  return db.query(
    `select user_id as "userId", network from user_wallets
     where address = $1 and custody = 'platform' and network <> $2 order by network`,
    [address, network],
  );
}

/** Whether it is the collateral address of a card account. */
export async function isCollateralAddress(db: Db, address: string): Promise<boolean> {
  return (
    (await db.query('select 1 from card_issuer_users where collateral_address = $1 limit 1', [address]))
      .length > 0
  );
}

/** Whether it is stored as a hot wallet, on any network. */
export async function isPayoutSigner(db: Db, address: string): Promise<boolean> {
  return (await db.query('select 1 from payout_signers where address = $1 limit 1', [address])).length > 0;
}

export interface RecipientRow {
  address: string;
  /** The user whose verified wallet it is, if any. */
  userId: string | null;
  custody: Custody | null;
  isBlocked: boolean;
}

/** A blocked address, or the wallet of a suspended user. */
const isBlocked = (address: string) =>
  `exists (select from blocked_addresses b where b.address = ${address}) or exists (
     select from users s where s.id = w.user_id and s.suspended_at is not null) as "isBlocked"`;

/** The address to pay a user on a network, by verified email or id; or the owner of an address. */
export async function selectRecipient(
  db: Db,
  network: string,
  { email, userId, address }: { email?: string; userId?: string; address?: string },
): Promise<RecipientRow | undefined> {
  if (address !== undefined) return selectOwnerOfAddress(db, { network, address });
  if (email !== undefined) return selectRecipientByEmail(db, network, email);
  const [row] = await db.query<RecipientRow & Record<string, unknown>>(
    `select w.address, w.user_id as "userId", w.custody, ${isBlocked('w.address')}
     from user_wallets w where w.network = $1 and w.user_id = $2`,
    [network, userId],
  );
  return row;
}

/** If several users have verified the email, it names nobody: also where only one of them has a wallet. */
async function selectRecipientByEmail(
  db: Db,
  network: string,
  normal: string,
): Promise<RecipientRow | undefined> {
  const rows = await db.query<RecipientRow & { email: string } & Record<string, unknown>>(
    `select u.email, w.address, w.user_id as "userId", w.custody, ${isBlocked('w.address')}
     from users u left join user_wallets w on w.user_id = u.id and w.network = $3
     where ${mayHaveEmail} and u.email_verified`,
    [normal, localPartKey(normal), network],
  );
  const [only, ...others] = rows.filter(isSpellingOf(normal));
  if (!only?.userId || others.length > 0) return undefined;
  const { email: _email, ...recipient } = only;
  return recipient;
}

/** The arrays are in subselects: if the planner sees their length, it makes a new plan for each call. */
const selectOwnerOfAddress = batchLoader(
  (db: Db, asked: { network: string; address: string }[]): Promise<RecipientRow[]> =>
    db.query<RecipientRow & Record<string, unknown>>(
      `select g.address, w.user_id as "userId", w.custody, ${isBlocked('g.address')}
       from unnest((select $1::text[]), (select $2::text[])) with ordinality as g (network, address, place)
       left join user_wallets w on w.network = g.network and w.address = g.address order by g.place`,
      [asked.map(({ network }) => network), asked.map(({ address }) => address)],
    ),
);

/** The blocked addresses among them. */
export async function selectBlockedAmong(db: Db, addresses: string[]): Promise<ReadonlySet<string>> {
  const rows = await db.query<{ address: string }>(
    'select address from blocked_addresses where address = any($1::text[])',
    [addresses],
  );
  return new Set(rows.map(({ address }) => address));
}

/** False if the address was already blocked. */
export async function insertBlockedAddress(
  db: Db,
  address: string,
  reason: string,
  blockedAt: Date,
): Promise<boolean> {
  const rows = await db.query(
    `insert into blocked_addresses (address, reason, blocked_at) values ($1, $2, $3)
     on conflict do nothing returning 1`,
    [address, reason, blockedAt],
  );
  return rows.length > 0;
}

/** The reason it was blocked for, or undefined if it was not. */
export async function deleteBlockedAddress(db: Db, address: string): Promise<string | undefined> {
  const [row] = await db.query<{ reason: string }>(
    'delete from blocked_addresses where address = $1 returning reason',
    [address],
  );
  return row?.reason;
}

export async function selectBlockedAddresses(
  db: Db,
  { after, limit }: { after?: string; limit: number },
): Promise<{ address: string; reason: string; blockedAt: Date }[]> {
  return db.query<{ address: string; reason: string; blockedAt: Date }>(
    `select address, reason, blocked_at as "blockedAt" from blocked_addresses
     where ($1::text is null or address > $1)
     order by address limit $2`,
    [after ?? null, limit],
  );
}
