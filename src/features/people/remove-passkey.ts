import { type Ctx, type Deps, inTransaction } from '#context';
import { personErrors } from './errors.ts';
import { deletePasskey, selectPasskeys } from './queries/passkeys.ts';
import { lockPeople } from './queries/people.ts';
import { endSessionsOf } from './queries/sessions.ts';
import { contextOf, type PersonSession, recordOwn } from './session.ts';

/**
 * Removes one of several passkeys of a person, such as that of a lost device, and ends the other sessions:
 * one may be open on that device.
 */
export function removePasskey(
  deps: Deps,
  log: Ctx['log'],
  { session, passkeyId }: { session: PersonSession; passkeyId: string },
): Promise<void> {
  if (!session.isFresh) throw personErrors.stepUpRequired();
  return inTransaction(contextOf(deps, session.person.id, log), async (ctx) => {
    const { personId } = ctx.actor;
    // Two that are removed at the same time wait here, so that one remains.
    if ((await lockPeople(ctx.db, [personId])).length === 0) throw personErrors.notSignedIn();
    const credentialId = Buffer.from(passkeyId, 'base64url');
    const passkeys = await selectPasskeys(ctx.db, personId);
    if (!passkeys.some((one) => one.credentialId.equals(credentialId))) throw personErrors.passkeyNotFound();
    if (passkeys.length === 1) throw personErrors.lastPasskey();
    await deletePasskey(ctx.db, credentialId);
    const sessionsEnded = await endSessionsOf(ctx.db, personId, ctx.now, session.secretSha256);
    await recordOwn(ctx, 'people.remove-passkey', { sessionsEnded });
  });
}
