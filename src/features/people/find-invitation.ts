import type { Ctx } from '#context';
import { hashSecret } from '#platform/secrets/secret';
import { personErrors } from './errors.ts';
import { lockInvitation, type OpenedInvitation, selectInvitation } from './queries/invitations.ts';

type Reading = Pick<Ctx, 'db' | 'now'>;

/** The person of a link that still works; does not use the link. */
export const findInvitation = (ctx: Reading, secret: string) => open(ctx, secret, selectInvitation);

/** The same, for the transaction that uses it. */
export const holdInvitation = (ctx: Reading, secret: string) => open(ctx, secret, lockInvitation);

async function open(
  { db, now }: Reading,
  secret: string,
  read: typeof selectInvitation,
): Promise<{ person: OpenedInvitation; secretSha256: Buffer }> {
  const secretSha256 = hashSecret(secret);
  const person = secretSha256 && (await read(db, secretSha256));
  if (!secretSha256 || !person || person.removedAt || person.voidedAt)
    throw personErrors.invitationNotFound();
  if (person.usedAt) throw personErrors.invitationUsed();
  if (person.expiresAt <= now) throw personErrors.invitationExpired();
  return { person, secretSha256 };
}
