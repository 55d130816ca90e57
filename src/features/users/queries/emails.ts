import type { Db } from '#platform/db/db';
import { localPartKey, normalizeEmail } from '../email.ts';

/**
 * May have the email whose normal form is $1, with the local part's key $2: stored so, or in another spelling
 * by a release before emails were normalized. The index `users_old_emails` has the last two conditions.
 */
export const mayHaveEmail = `(u.email = $1 or normalize(split_part(u.email, '@', 1), NFKC) = $2
  and (octet_length(u.email) > length(u.email) or u.email like '%xn--%'))`;

export const isSpellingOf = (normal: string) => (row: { email: string }) =>
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
