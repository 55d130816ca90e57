import { type Ctx, inTransaction } from '#context';
import { recordChange } from '#features/audit';
import { holdPerson } from './hold-person.ts';
import { makeInvitation } from './make-invitation.ts';
import { deletePasskeys } from './queries/passkeys.ts';
import { endSessionsOf } from './queries/sessions.ts';
import { type Invited, presentPerson } from './wire.ts';

/** For a lost passkey or link: passkeys and sessions end at once, and a new link is made. */
export function reinvitePerson(ctx: Ctx, { personId }: { personId: string }): Promise<Invited> {
  return inTransaction(ctx, async (ctx) => {
    const row = await holdPerson(ctx, personId);
    const passkeysRemoved = await deletePasskeys(ctx.db, row.id);
    const sessionsEnded = await endSessionsOf(ctx.db, row.id, ctx.now);
    const invitation = await makeInvitation(ctx, row.id);
    const after = { passkeysRemoved, sessionsEnded, expiresAt: invitation.expiresAt };
    await recordChange(ctx, { action: 'people.reinvite', subject: `person:${row.id}`, after });
    return { person: presentPerson({ ...row, canSignIn: false }), ...invitation };
  });
}
