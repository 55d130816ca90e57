import { isUserSuspended, selectEmails, selectHolder } from '#features/users';
import type { Db } from '#platform/db/db';
import { hashSecret } from '#platform/secrets/secret';
import { selectSession } from './queries.ts';

export interface Person {
  name: string;
  email: string;
}

export interface Session {
  secret: string;
  userId: string;
  /** The signed-in user that the pages show. */
  person: Person;
}

/** The session of a cookie; undefined if it is unknown or over, or its user is suspended. */
export async function findSession(
  { db, now }: { db: Db; now: Date },
  secret: string | undefined,
): Promise<Session | undefined> {
  const secretSha256 = secret === undefined ? undefined : hashSecret(secret);
  if (secret === undefined || !secretSha256) return undefined;
  const row = await selectSession(db, secretSha256);
  if (!row || row.endedAt || row.expiresAt <= now) return undefined;
  const { userId } = row;
  if (await isUserSuspended(db, userId)) return undefined;
  return { secret, userId, person: await findPerson(db, userId) };
}

export async function findPerson(db: Db, userId: string): Promise<Person> {
  const [name, emails] = await Promise.all([selectHolder(db, userId), selectEmails(db, [userId])]);
  return { name: name ?? '', email: emails.get(userId) ?? '' };
}
