import { type Ctx, inTransaction } from '#context';
import { recordChange } from '#features/audit';
import { holdPerson } from './hold-person.ts';
import { voidInvitations } from './queries/invitations.ts';
import { deletePasskeys } from './queries/passkeys.ts';
import { markPersonRemoved } from './queries/people.ts';
import { endSessionsOf } from './queries/sessions.ts';
import { type PersonView, presentPerson } from './wire.ts';

/** Ends all that the person could act by, from the next request on. The row stays, for the audit log. */
export function removePerson(ctx: Ctx, { personId }: { personId: string }): Promise<PersonView> {
  return inTransaction(ctx, async (ctx) => {
    const row = await holdPerson(ctx, personId);
    await markPersonRemoved(ctx.db, row.id, ctx.now);
    await voidInvitations(ctx.db, row.id, ctx.now);
    const passkeysRemoved = await deletePasskeys(ctx.db, row.id);
    const sessionsEnded = await endSessionsOf(ctx.db, row.id, ctx.now);
    await recordChange(ctx, {
      action: 'people.remove',
      subject: `person:${row.id}`,
      after: { removedAt: ctx.now.toISOString(), passkeysRemoved, sessionsEnded },
    });
    return presentPerson({ ...row, canSignIn: false, removedAt: ctx.now });
  });
}
