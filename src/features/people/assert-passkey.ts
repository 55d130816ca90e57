import type { Ctx, Deps, PersonActor } from '#context';
import { issueChallenge, takeChallengeOf } from './challenge.ts';
import { requestOptions } from './passkey-options.ts';
import { lockPasskey, selectPasskeys, updatePasskeyUse } from './queries/passkeys.ts';
import { markAsserted } from './queries/sessions.ts';
import { relyingPartyOf } from './relying-party.ts';
import { beginSession, contextOf, type PersonSession, recordOwn } from './session.ts';
import { refused, verifyAssertion } from './verify-passkey.ts';
import type { Assertion } from './wire.ts';

/** For a visitor whose passkey names them. */
export async function offerSignIn(deps: Deps) {
  const challenge = await issueChallenge(
    { db: deps.db, now: deps.clock() },
    { purpose: 'sign-in', boundTo: null },
  );
  return requestOptions(relyingPartyOf(deps), { challenge });
}

/** Signs in the person of a passkey. */
export async function signIn(
  deps: Deps,
  log: Ctx['log'],
  { answer, formerSessionSecret }: { answer: Assertion; formerSessionSecret: string | undefined },
): Promise<{ sessionSecret: string }> {
  const use = { purpose: 'sign-in', boundTo: null } as const;
  return assertPasskey(deps, log, { answer, use }, async (ctx) => {
    const begun = await beginSession(ctx, formerSessionSecret);
    await recordOwn(ctx, 'people.sign-in');
    return begun;
  });
}

/** For a person who is signed in. */
export async function offerStepUp(deps: Deps, { person, secretSha256 }: PersonSession) {
  const at = { db: deps.db, now: deps.clock() };
  const challenge = await issueChallenge(at, { purpose: 'step-up', boundTo: secretSha256 });
  const passkeys = await selectPasskeys(deps.db, person.id);
  return requestOptions(relyingPartyOf(deps), { challenge, passkeys });
}

/** Makes the session fresh: the person is still there. */
export async function stepUp(
  deps: Deps,
  log: Ctx['log'],
  { answer, session }: { answer: Assertion; session: PersonSession },
): Promise<void> {
  const { secretSha256, person } = session;
  const use = { purpose: 'step-up', boundTo: secretSha256 } as const;
  await assertPasskey(deps, log, { answer, use }, async (ctx) => {
    if (ctx.actor.personId !== person.id) throw refused(log, 'The passkey is of another person');
    await markAsserted(ctx.db, secretSha256, ctx.now);
    await recordOwn(ctx, 'people.step-up');
  });
}

async function assertPasskey<T>(
  deps: Deps,
  log: Ctx['log'],
  { answer, use }: { answer: Assertion; use: Parameters<typeof takeChallengeOf>[2] },
  then: (ctx: Ctx<PersonActor>) => Promise<T>,
): Promise<T> {
  const at = { db: deps.db, now: deps.clock(), log };
  const challenge = await takeChallengeOf(at, answer.response.clientDataJSON, use);
  return deps.db.transaction(async (db) => {
    const credentialId = Buffer.from(answer.id, 'base64url');
    const found = await lockPasskey(db, credentialId);
    if (!found) throw refused(log, 'The passkey is not registered');
    const party = relyingPartyOf(deps);
    const use = await verifyAssertion(found.passkey, { party, challenge, answer, log });
    await updatePasskeyUse(db, credentialId, { ...use, usedAt: at.now });
    return then({ ...contextOf(deps, found.person.id, log), db });
  });
}
