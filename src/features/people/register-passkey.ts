import { type Ctx, type Deps, inTransaction, type PersonActor } from '#context';
import { issueChallenge, takeChallengeOf } from './challenge.ts';
import { personErrors } from './errors.ts';
import { findInvitation, holdInvitation } from './find-invitation.ts';
import { creationOptions } from './passkey-options.ts';
import { markInvitationUsed } from './queries/invitations.ts';
import { insertPasskey, selectPasskeys } from './queries/passkeys.ts';
import { lockPeople } from './queries/people.ts';
import { relyingPartyOf } from './relying-party.ts';
import { beginSession, contextOf, findPersonSession, type PersonSession, recordOwn } from './session.ts';
import { type NewPasskey, refused, verifyRegistration } from './verify-passkey.ts';
import type { Registration } from './wire.ts';

/** What the browser needs to make a passkey for the person of an invitation. */
export async function offerRegistration(deps: Deps, { secret }: { secret: string }) {
  const at = { db: deps.db, now: deps.clock() };
  const { person, secretSha256 } = await findInvitation(at, secret);
  const challenge = await issueChallenge(at, { purpose: 'register', boundTo: secretSha256 });
  const passkeys = await selectPasskeys(deps.db, person.id);
  return creationOptions(relyingPartyOf(deps), { challenge, person, passkeys });
}

export interface AnsweredInvitation {
  secret: string;
  answer: Registration;
  formerSessionSecret: string | undefined;
}

/** Registers the passkey of an invitation, once, and signs the person in. */
export async function registerPasskey(
  deps: Deps,
  log: Ctx['log'],
  { secret, answer, formerSessionSecret }: AnsweredInvitation,
): Promise<{ sessionSecret: string }> {
  const at = { db: deps.db, now: deps.clock(), log };
  const { person, secretSha256 } = await findInvitation(at, secret);
  const challenge = await takeChallengeOf(at, answer.response.clientDataJSON, {
    purpose: 'register',
    boundTo: secretSha256,
  });
  const passkey = await verifyRegistration({ party: relyingPartyOf(deps), challenge, answer, log });
  return inTransaction(contextOf(deps, person.id, log), async (ctx) => {
    await holdInvitation(ctx, secretSha256);
    await markInvitationUsed(ctx.db, secretSha256, ctx.now);
    await addPasskey(ctx, passkey);
    const begun = await beginSession(ctx, formerSessionSecret);
    await recordOwn(ctx, 'people.register-passkey', { isBackedUp: passkey.isBackedUp });
    return begun;
  });
}

/** For another device of a person who is signed in. */
export async function offerAnother(deps: Deps, { person, secretSha256, isFresh }: PersonSession) {
  if (!isFresh) throw personErrors.stepUpRequired();
  const challenge = await issueChallenge(
    { db: deps.db, now: deps.clock() },
    { purpose: 'register', boundTo: secretSha256 },
  );
  const passkeys = await selectPasskeys(deps.db, person.id);
  return creationOptions(relyingPartyOf(deps), { challenge, person, passkeys });
}

/** Adds a passkey to a person's own. */
export async function registerAnother(
  deps: Deps,
  log: Ctx['log'],
  { answer, session }: { answer: Registration; session: PersonSession },
): Promise<void> {
  const use = { purpose: 'register', boundTo: session.secretSha256 } as const;
  const at = { db: deps.db, now: deps.clock(), log };
  const challenge = await takeChallengeOf(at, answer.response.clientDataJSON, use);
  const passkey = await verifyRegistration({ party: relyingPartyOf(deps), challenge, answer, log });
  await inTransaction(contextOf(deps, session.person.id, log), async (ctx) => {
    // A person who is being removed or invited again adds nothing.
    if ((await lockPeople(ctx.db, [session.person.id])).length === 0) throw personErrors.notSignedIn();
    if (!(await findPersonSession(ctx, session.secret))) throw personErrors.notSignedIn();
    await addPasskey(ctx, passkey);
    await recordOwn(ctx, 'people.register-passkey', { isBackedUp: passkey.isBackedUp });
  });
}

async function addPasskey(ctx: Ctx<PersonActor>, passkey: NewPasskey): Promise<void> {
  const row = { ...passkey, personId: ctx.actor.personId, createdAt: ctx.now };
  if (!(await insertPasskey(ctx.db, row))) throw refused(ctx.log, 'The passkey is registered already');
}
