import type { Db } from '#platform/db/db';

export interface SignInLinkRow {
  secretSha256: Buffer;
  userId: string;
  returnToSealed: string;
  createdAt: Date;
  expiresAt: Date;
  usedAt: Date | null;
}

export async function insertSignInLink(db: Db, link: Omit<SignInLinkRow, 'usedAt'>): Promise<void> {
  await db.query(
    `insert into sign_in_links (secret_sha256, user_id, return_to, created_at, expires_at) values ($1, $2, $3, $4, $5)`,
    [link.secretSha256, link.userId, link.returnToSealed, link.createdAt, link.expiresAt],
  );
}

const linkColumns = `secret_sha256 as "secretSha256", user_id as "userId", return_to as "returnToSealed",
  created_at as "createdAt", expires_at as "expiresAt", used_at as "usedAt"`;

export async function selectSignInLink(db: Db, secretSha256: Buffer): Promise<SignInLinkRow | undefined> {
  const [row] = await db.query<SignInLinkRow & Record<string, unknown>>(
    `select ${linkColumns} from sign_in_links where secret_sha256 = $1`,
    [secretSha256],
  );
  return row;
}

/** A second request with the same link waits, and then finds it used. */
export async function lockSignInLink(db: Db, secretSha256: Buffer): Promise<SignInLinkRow | undefined> {
  const [row] = await db.query<SignInLinkRow & Record<string, unknown>>(
    `select ${linkColumns} from sign_in_links where secret_sha256 = $1 for update`,
    [secretSha256],
  );
  return row;
}

export async function markSignInLinkUsed(db: Db, secretSha256: Buffer, usedAt: Date): Promise<void> {
  await db.query('update sign_in_links set used_at = $2 where secret_sha256 = $1', [secretSha256, usedAt]);
}

export interface SessionRow {
  secretSha256: Buffer;
  userId: string;
  createdAt: Date;
  expiresAt: Date;
  endedAt: Date | null;
}

export async function insertSession(db: Db, session: Omit<SessionRow, 'endedAt'>): Promise<void> {
  await db.query(
    'insert into user_sessions (secret_sha256, user_id, created_at, expires_at) values ($1, $2, $3, $4)',
    [session.secretSha256, session.userId, session.createdAt, session.expiresAt],
  );
}

/** Never cached: an ended session is over for the next request of every process. */
export async function selectSession(
  db: Db,
  secretSha256: Buffer,
): Promise<Pick<SessionRow, 'userId' | 'expiresAt' | 'endedAt'> | undefined> {
  const [row] = await db.query<Pick<SessionRow, 'userId' | 'expiresAt' | 'endedAt'>>(
    `select user_id as "userId", expires_at as "expiresAt", ended_at as "endedAt"
     from user_sessions where secret_sha256 = $1`,
    [secretSha256],
  );
  return row;
}

/** The session's user; undefined if the session does not exist or is over. */
export async function endSessionRow(
  db: Db,
  secretSha256: Buffer,
  endedAt: Date,
): Promise<string | undefined> {
  const [row] = await db.query<{ userId: string }>(
    `update user_sessions set ended_at = $2
     where secret_sha256 = $1 and ended_at is null and expires_at > $2 returning user_id as "userId"`,
    [secretSha256, endedAt],
  );
  return row?.userId;
}

/** Returns how many were deleted, at most `limit` of each kind. */
export async function deleteEnded(db: Db, endedBefore: Date, limit: number): Promise<number> {
  const [row] = await db.query<{ count: number }>(
    `with links as (
       delete from sign_in_links where secret_sha256 in
         (select secret_sha256 from sign_in_links where expires_at < $1 order by expires_at limit $2 for update skip locked)
       returning 1
     ), sessions as (
       delete from user_sessions where secret_sha256 in
         (select secret_sha256 from user_sessions where expires_at < $1 order by expires_at limit $2 for update skip locked)
       returning 1
     )
     select ((select count(*) from links) + (select count(*) from sessions))::integer as count`,
    [endedBefore, limit],
  );
  return row!.count;
}
