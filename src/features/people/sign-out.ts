import { type Ctx, inTransaction, type PersonActor } from '#context';
import { endSessionRow, endSessionsOf } from './queries/sessions.ts';
import { type PersonSession, recordOwn } from './session.ts';

/** Ends a session: from the next request on, in every process, the cookie is invalid. */
export function signOut(ctx: Ctx<PersonActor>, { secretSha256 }: PersonSession): Promise<void> {
  return inTransaction(ctx, async (ctx) => {
    if (await endSessionRow(ctx.db, secretSha256, ctx.now)) await recordOwn(ctx, 'people.sign-out');
  });
}

/** Ends the person's other sessions, such as on a computer that was left open. */
export function signOutElsewhere(ctx: Ctx<PersonActor>, { secretSha256 }: PersonSession): Promise<void> {
  return inTransaction(ctx, async (ctx) => {
    const ended = await endSessionsOf(ctx.db, ctx.actor.personId, ctx.now, secretSha256);
    if (ended > 0) await recordOwn(ctx, 'people.sign-out-elsewhere', { ended });
  });
}
