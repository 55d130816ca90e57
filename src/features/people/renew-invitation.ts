import type { Ctx, PersonActor } from '#context';
import { makeInvitation } from './make-invitation.ts';
import { lockPeople } from './queries/people.ts';
import { recordOwn } from './session.ts';

/**
 * A new link for somebody who was invited and has no passkey yet, in the caller's transaction; undefined for
 * others. The links before it stop working.
 */
export async function renewInvitation(
  ctx: Ctx<PersonActor>,
): Promise<{ url: string; expiresAt: string } | undefined> {
  const [person] = await lockPeople(ctx.db, [ctx.actor.personId]);
  if (!person || person.canSignIn) return undefined;
  const invitation = await makeInvitation(ctx, person.id);
  await recordOwn(ctx, 'people.renew-invitation', { expiresAt: invitation.expiresAt });
  return invitation;
}
