import type { Db } from '#platform/db/db';
import { hashSecret } from '#platform/secrets/secret';
import { sessionErrors } from './errors.ts';
import { findPerson, type Person } from './find-session.ts';
import { type SignInLinkRow, selectSignInLink } from './queries.ts';

/** The user that a link would sign in; does not use the link. */
export async function findSignInLink(
  { db, now }: { db: Db; now: Date },
  linkSecret: string,
): Promise<{ userId: string; person: Person }> {
  const linkSha256 = hashSecret(linkSecret);
  const { userId } = requireUsable(linkSha256 && (await selectSignInLink(db, linkSha256)), now);
  return { userId, person: await findPerson(db, userId) };
}

export function requireUsable(link: SignInLinkRow | undefined, now: Date): SignInLinkRow {
  if (!link) throw sessionErrors.signInLinkNotFound();
  if (link.usedAt) throw sessionErrors.signInLinkUsed();
  if (link.expiresAt <= now) throw sessionErrors.signInLinkExpired();
  return link;
}
