import type { Ctx } from '#context';
import { createSecret, hashSecret } from '#platform/secrets/secret';
import { hourMs } from '#platform/values/duration';
import { insertInvitation, voidInvitations } from './queries/invitations.ts';
import { relyingPartyOf } from './relying-party.ts';

const invitationLifetimeMs = 72 * hourMs;

/** A link to register a passkey, once and within 72 hours; the person's earlier links stop working. */
export async function makeInvitation(
  ctx: Ctx,
  personId: string,
): Promise<{ url: string; expiresAt: string }> {
  const secret = createSecret();
  const expiresAt = new Date(ctx.now.getTime() + invitationLifetimeMs);
  await voidInvitations(ctx.db, personId, ctx.now);
  await insertInvitation(ctx.db, {
    secretSha256: hashSecret(secret)!,
    personId,
    createdAt: ctx.now,
    expiresAt,
  });
  const { origin } = relyingPartyOf(ctx);
  return { url: `${origin}/people/invitation/${secret}`, expiresAt: expiresAt.toISOString() };
}
