import type { Ctx } from '#context';
import { personErrors } from './errors.ts';
import { selectOpenInvitation } from './queries/invitations.ts';
import { type PasskeyRow, selectPasskeys } from './queries/passkeys.ts';
import { type PersonRow, selectPerson } from './queries/people.ts';
import { type SessionRow, selectSessionsOf } from './queries/sessions.ts';
import { openAt } from './session.ts';

export interface ShownPerson {
  person: PersonRow;
  passkeys: PasskeyRow[];
  /** Those that are open, newest first. */
  sessions: SessionRow[];
  invitationEndsAt: Date | undefined;
}

/** A person with passkeys and open sessions. */
export async function showPerson(
  { db, now }: Pick<Ctx, 'db' | 'now'>,
  { personId }: { personId: string },
): Promise<ShownPerson> {
  const person = await selectPerson(db, personId);
  if (!person) throw personErrors.personNotFound();
  const [passkeys, sessions, invitationEndsAt] = await Promise.all([
    selectPasskeys(db, person.id),
    selectSessionsOf(db, person.id, openAt(now)),
    selectOpenInvitation(db, person.id, now),
  ]);
  return { person, passkeys, sessions, invitationEndsAt };
}
