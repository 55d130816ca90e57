import type { Ctx } from '#context';
import { hashSecret } from '#platform/secrets/secret';
import { personErrors } from './errors.ts';
import { lockInvitation, type OpenedInvitation, selectInvitation } from './queries/invitations.ts';

type Reading = Pick<Ctx, 'db' | 'now'>;

/** The person of a link that still works; does not use the link. */
export async function findInvitation(
  ctx: Reading,
  secret: string,
): Promise<{ person: OpenedInvitation; secretSha256: Buffer }> {
  const secretSha256 = hashSecret(secret);
  if (!secretSha256) throw personErrors.invitationNotFound();
  const person = requireUsable(await selectInvitation(ctx.db, secretSha256), ctx.now);
  return { person, secretSha256 };
}

/** The same by the hash of the link, for the transaction that uses it. */
export async function holdInvitation(
  ctx: Reading,
  secretSha256: Buffer,
): Promise<{ person: OpenedInvitation }> {
  return { person: requireUsable(await lockInvitation(ctx.db, secretSha256), ctx.now) };
}

function requireUsable(person: OpenedInvitation | undefined, now: Date): OpenedInvitation {
  if (!person || person.removedAt || person.voidedAt) throw personErrors.invitationNotFound();
  if (person.usedAt) throw personErrors.invitationUsed();
  if (person.expiresAt <= now) throw personErrors.invitationExpired();
  return person;
}
