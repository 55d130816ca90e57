import { contextFor, type Deps, inTransaction } from '#context';
import { recordChange } from '#features/audit';
import { isUserSuspended } from '#features/users';
import { createSecret, hashSecret } from '#platform/secrets/secret';
import { recordEnd } from './end-session.ts';
import { sessionErrors } from './errors.ts';
import { requireUsable } from './find-sign-in-link.ts';
import { returnToPlace } from './make-sign-in-link.ts';
import {
  endSessionRow,
  insertSession,
  lockSignInLink,
  markSignInLinkUsed,
  selectSignInLink,
} from './queries.ts';
import { requireOwnPage } from './return-to.ts';

/** Long enough to read a page and decide; only signing in again prolongs it. */
export const sessionLifetimeMs = 15 * 60_000;

export interface SignedIn {
  sessionSecret: string;
  returnTo: string;
}

/**
 * Signs in the user of a link, once. The session is always new; the one that the browser had before is ended,
 * because somebody else may have put it there.
 */
export async function useSignInLink(
  deps: Deps,
  { linkSecret, formerSessionSecret }: { linkSecret: string; formerSessionSecret?: string | undefined },
): Promise<SignedIn> {
  const linkSha256 = hashSecret(linkSecret);
  const found = linkSha256 && (await selectSignInLink(deps.db, linkSha256));
  if (!found) throw sessionErrors.signInLinkNotFound();
  const { userId } = found;
  return inTransaction(contextFor(deps, { kind: 'user', userId }, deps.log), async (ctx) => {
    const link = requireUsable(await lockSignInLink(ctx.db, linkSha256), ctx.now);
    if (await isUserSuspended(ctx.db, userId)) throw sessionErrors.signInLinkNotFound();
    await markSignInLinkUsed(ctx.db, linkSha256, ctx.now);

    const formerSha256 = formerSessionSecret === undefined ? undefined : hashSecret(formerSessionSecret);
    const formerUserId = formerSha256 && (await endSessionRow(ctx.db, formerSha256, ctx.now));
    const sessionSecret = createSecret();
    const secretSha256 = hashSecret(sessionSecret)!;
    const expiresAt = new Date(ctx.now.getTime() + sessionLifetimeMs);
    await insertSession(ctx.db, { secretSha256, userId, createdAt: ctx.now, expiresAt });
    const returnTo = ctx.sealer.open(returnToPlace(linkSha256), Buffer.from(link.returnToSealed, 'base64'));
    if (formerUserId) await recordEnd(ctx, formerUserId);
    await recordChange(ctx, {
      action: 'sessions.begin',
      subject: `user:${userId}`,
      after: { expiresAt: expiresAt.toISOString() },
    });
    return { sessionSecret, returnTo: requireOwnPage(returnTo) };
  });
}
