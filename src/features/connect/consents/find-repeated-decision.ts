import { type Ctx, inTransaction, type UserActor } from '#context';
import { type ConsentScope, orderScopes } from '#features/connect/integrations';
import { hashSecret } from '#platform/secrets/secret';
import { asOf, type Consent } from './consent.ts';
import { type ConsentDecision, returnAddress } from './decide-consent.ts';
import { lockLinkedConsent } from './queries/connections.ts';

/**
 * Where to send a user who repeats the decision that they made, such as by a second click; nothing is
 * decided. Undefined for other users, another decision, or one that was changed since.
 */
export function findRepeatedDecision(
  ctx: Ctx<UserActor>,
  { linkToken, decision, scopes }: Required<ConsentDecision>,
): Promise<{ redirectTo: string } | undefined> {
  return inTransaction(ctx, async (ctx) => {
    const linkSha256 = hashSecret(linkToken);
    const held = linkSha256 && (await lockLinkedConsent(ctx.db, linkSha256, ctx.actor.userId));
    if (held?.consent.userId !== ctx.actor.userId || held.isWithdrawn) return undefined;
    const consent = asOf(held.consent, ctx.now);
    const isTheSame = decision === 'refuse' ? consent.status === 'rejected' : isGrantOf(consent, scopes);
    return isTheSame ? { redirectTo: returnAddress(consent) } : undefined;
  });
}

function isGrantOf({ status, scopes: granted }: Consent, scopes: readonly ConsentScope[]): boolean {
  return status === 'active' && orderScopes(scopes).join() === granted!.join();
}
