import { type Ctx, inTransaction, type UserActor } from '#context';
import { type ConsentScope, orderScopes } from '#features/connect/integrations';
import { dayMs } from '#platform/values/duration';
import type { Consent } from './consent.ts';
import { consentErrors } from './errors.ts';
import { holdLink } from './hold-link.ts';
import { updateConsent } from './queries/consents.ts';
import { recordMove } from './record-move.ts';

export interface ConsentDecision {
  linkToken: string;
  decision: 'grant' | 'refuse';
  /** Scopes to grant: all required ones and only requested ones. Default: only the required ones. */
  scopes?: ConsentScope[];
}

/** Grants or refuses, once, by the user who opened the link; `redirectTo` is where they continue. */
export function decideConsent(
  ctx: Ctx<UserActor>,
  { linkToken, decision, scopes }: ConsentDecision,
): Promise<{ consent: Consent; redirectTo: string }> {
  return inTransaction(ctx, async (ctx) => {
    const { consent: asked } = await holdLink(ctx, linkToken);
    // Users grant only what they were shown.
    if (asked.userId === null) throw consentErrors.linkNotFound();
    const consent = decision === 'grant' ? grant(asked, scopes, ctx.now) : refuse(asked, ctx.now);
    await updateConsent(ctx.db, consent);
    await recordMove(ctx, decision, asked, consent);
    return { consent, redirectTo: returnAddress(consent) };
  });
}

function grant(asked: Consent, chosen: ConsentScope[] | undefined, now: Date): Consent {
  const { requestedScopes, optionalScopes, duration } = asked;
  const required = requestedScopes.filter((scope) => !optionalScopes.includes(scope));
  const scopes = chosen ?? required;
  if (!scopes.every((scope) => requestedScopes.includes(scope))) throw consentErrors.scopeNotRequested();
  if (!required.every((scope) => scopes.includes(scope))) throw consentErrors.requiredScopeMissing();
  const expiresAt = duration.kind === 'days' ? new Date(now.getTime() + duration.days * dayMs) : null;
  return { ...asked, status: 'active', scopes: orderScopes(scopes), decidedAt: now, expiresAt };
}

const refuse = (asked: Consent, now: Date): Consent => ({ ...asked, status: 'rejected', decidedAt: now });

/** The registered URI unchanged, with its query, and the answer appended. */
export function returnAddress({ id, status, redirectUri, state }: Consent): string {
  const answer = new URLSearchParams(status === 'active' ? { consent_id: id } : { error: 'access_denied' });
  if (state !== null) answer.append('state', state);
  const joint = redirectUri.includes('?') ? (/[?&]$/.test(redirectUri) ? '' : '&') : '?';
  return `${redirectUri}${joint}${answer}`;
}
