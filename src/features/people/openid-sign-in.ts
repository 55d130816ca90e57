import { createHmac } from 'node:crypto';
import { type Identity, type Openid, OpenidFault } from '#adapters/openid';
import { type Ctx, type Deps, inTransaction } from '#context';
import { normalizeEmail } from '#features/users';
import { hashSecret } from '#platform/secrets/secret';
import { issueChallenge } from './challenge.ts';
import { personErrors } from './errors.ts';
import { holdInvitation } from './find-invitation.ts';
import { type OpenidPurpose, takeFlow } from './queries/challenges.ts';
import { insertIdentity, lockPersonByIdentity } from './queries/identities.ts';
import { markInvitationUsed } from './queries/invitations.ts';
import { markAsserted } from './queries/sessions.ts';
import { relyingPartyOf } from './relying-party.ts';
import { beginSession, contextOf, freshMs, type PersonSession, recordOwn } from './session.ts';

/** Begins a sign-in at the provider. The browser keeps `flowSecret` in a cookie until it returns. */
export async function beginOpenid(
  deps: Deps,
  openid: Openid,
  use: { purpose: OpenidPurpose; boundTo: Buffer | null },
): Promise<{ flowSecret: string; url: string }> {
  const flowSecret = await issueChallenge({ db: deps.db, now: deps.clock() }, use);
  const flow = flowOf(deps, flowSecret, use.purpose);
  const url = await openid.authorizationUrl(flow).catch((error) => refuse(deps.log, error));
  return { flowSecret, url };
}

/** What the provider gets of a flow. It never sees the secret, which binds the flow to the browser. */
function flowOf(deps: Deps, flowSecret: string, purpose: OpenidPurpose) {
  const derive = (name: string) => createHmac('sha256', flowSecret).update(name).digest('base64url');
  return {
    redirectUri: `${relyingPartyOf(deps).origin}/people/openid/callback`,
    state: derive('state'),
    nonce: derive('nonce'),
    codeVerifier: derive('code verifier'),
    ...(purpose === 'openid-step-up' && { maxAgeSeconds: freshMs / 1000 }),
  };
}

export interface Returned {
  /** From the cookie. */
  flowSecret: string | undefined;
  /** Path and query that the provider redirected to. */
  path: string;
  session: PersonSession | undefined;
  formerSessionSecret: string | undefined;
}

/** Ends a flow: a new session, or undefined if an open one was confirmed. */
export async function finishOpenid(
  deps: Deps,
  log: Ctx['log'],
  openid: Openid,
  { flowSecret = '', path, session, formerSessionSecret }: Returned,
): Promise<{ sessionSecret: string } | undefined> {
  const challengeSha256 = hashSecret(flowSecret);
  const flow = challengeSha256 && (await takeFlow(deps.db, { challengeSha256, now: deps.clock() }));
  if (!flow) throw personErrors.openidRefused();
  const address = new URL(relyingPartyOf(deps).origin + path);
  const identity = await openid
    .exchange(address, flowOf(deps, flowSecret, flow.purpose))
    .catch((error) => refuse(log, error));
  switch (flow.purpose) {
    case 'openid-register':
      return registerIdentity(deps, log, { identity, invitation: flow.boundTo!, formerSessionSecret });
    case 'openid-sign-in':
      return signIn(deps, log, { identity, formerSessionSecret });
    case 'openid-step-up':
      if (!session?.secretSha256.equals(flow.boundTo!)) throw personErrors.notSignedIn();
      await stepUp(deps, log, { identity, session });
      return undefined;
  }
}

function registerIdentity(
  deps: Deps,
  log: Ctx['log'],
  { identity, invitation, formerSessionSecret }: Returning & { invitation: Buffer },
) {
  const at = { db: deps.db, now: deps.clock() };
  return deps.db.transaction(async (db) => {
    const { person } = await holdInvitation({ ...at, db }, invitation);
    const email = identity.verifiedEmail && normalizeEmail(identity.verifiedEmail);
    if (email !== person.email) throw personErrors.openidOtherEmail();
    const ctx = { ...contextOf(deps, person.id, log), db };
    const { issuer, subject } = identity;
    const isNew = await insertIdentity(db, { issuer, subject, personId: person.id, createdAt: ctx.now });
    if (!isNew) throw personErrors.openidOtherEmail();
    await markInvitationUsed(db, invitation, ctx.now);
    const begun = await beginSession(ctx, formerSessionSecret, assertedAt(identity, ctx.now));
    await recordOwn(ctx, 'people.register-identity', { issuer, subject });
    return begun;
  });
}

interface Returning {
  identity: Identity;
  formerSessionSecret: string | undefined;
}

function signIn(deps: Deps, log: Ctx['log'], { identity, formerSessionSecret }: Returning) {
  return deps.db.transaction(async (db) => {
    const person = await lockPersonByIdentity(db, identity);
    if (!person) throw personErrors.openidUnknown();
    const ctx = { ...contextOf(deps, person.id, log), db };
    const begun = await beginSession(ctx, formerSessionSecret, assertedAt(identity, ctx.now));
    await recordOwn(ctx, 'people.sign-in', { issuer: identity.issuer });
    return begun;
  });
}

function stepUp(
  deps: Deps,
  log: Ctx['log'],
  { identity, session }: { identity: Identity; session: PersonSession },
): Promise<void> {
  return inTransaction(contextOf(deps, session.person.id, log), async (ctx) => {
    const person = await lockPersonByIdentity(ctx.db, identity);
    if (person?.id !== session.person.id) throw personErrors.openidUnknown();
    await markAsserted(ctx.db, session.secretSha256, assertedAt(identity, ctx.now));
    await recordOwn(ctx, 'people.step-up', { issuer: identity.issuer });
  });
}

/** A provider that does not say when it asked the person confirms nothing. */
function assertedAt({ authenticatedAt = new Date(0) }: Identity, now: Date): Date {
  return authenticatedAt < now ? authenticatedAt : now;
}

/** The caller does not learn why; the log does. */
function refuse(log: Ctx['log'], error: unknown): never {
  if (!(error instanceof OpenidFault)) throw error;
  log.warn({ reason: error.message }, 'a sign-in at the OpenID provider was refused');
  throw personErrors.openidRefused();
}
