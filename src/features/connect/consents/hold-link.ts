import type { Ctx, UserActor } from '#context';
import { hashSecret } from '#platform/secrets/secret';
import { consentErrors } from './errors.ts';
import { type LinkedConsent, lockLinkedConsent } from './queries/connections.ts';

/** An undecided link with its row locked. For any other user the link does not exist (404). */
export async function holdLink(ctx: Ctx<UserActor>, linkToken: string): Promise<LinkedConsent> {
  const linkSha256 = hashSecret(linkToken);
  const held = linkSha256 && (await lockLinkedConsent(ctx.db, linkSha256, ctx.actor.userId));
  if (!held) throw consentErrors.linkNotFound();
  if (held.consent.decidedAt) throw consentErrors.linkUsed();
  if (held.consent.linkExpiresAt <= ctx.now || held.isWithdrawn) throw consentErrors.linkExpired();
  return held;
}
