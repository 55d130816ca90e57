import { type Ctx, inTransaction } from '#context';
import { recordChange } from '#features/audit';
import { isUserSuspended, userErrors, userExists } from '#features/users';
import { createSecret, hashSecret } from '#platform/secrets/secret';
import { insertSignInLink } from './queries.ts';
import { requireOwnPage } from './return-to.ts';

export interface SignInLink {
  url: string;
  expiresAt: string;
}

/** The operator's login redirects the browser here at once. */
const linkLifetimeMs = 5 * 60_000;

/** A link that signs the user in, once and within five minutes, and leads to `returnTo`. */
export function makeSignInLink(
  ctx: Ctx,
  { userId, returnTo = '/connect/apps' }: { userId: string; returnTo?: string },
): Promise<SignInLink> {
  return inTransaction(ctx, async (ctx) => {
    requireOwnPage(returnTo);
    if (!(await userExists(ctx.db, userId))) throw userErrors.userNotFound();
    if (await isUserSuspended(ctx.db, userId)) throw userErrors.userSuspended();
    const secret = createSecret();
    const secretSha256 = hashSecret(secret)!;
    const expiresAt = new Date(ctx.now.getTime() + linkLifetimeMs);
    await insertSignInLink(ctx.db, {
      secretSha256,
      userId,
      // It may end in the secret of a consent link, which is never stored in the clear.
      returnToSealed: ctx.sealer.seal(returnToPlace(secretSha256), returnTo).toString('base64'),
      createdAt: ctx.now,
      expiresAt,
    });
    const shown = { expiresAt: expiresAt.toISOString() };
    await recordChange(ctx, {
      action: 'users.sign-in-link',
      subject: `user:${userId.toLowerCase()}`,
      after: shown,
    });
    return { url: `${ctx.publicUrl}/connect/sign-in/${secret}`, ...shown };
  });
}

export const returnToPlace = (secretSha256: Buffer) =>
  `sign_in_links.return_to ${secretSha256.toString('hex')}`;
