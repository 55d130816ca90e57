import type { Ctx } from '#context';
import { type ConsentScope, orderScopes } from '#features/connect/integrations';
import type { Consent } from './consent.ts';
import { consentErrors } from './errors.ts';
import { holdConsent, type PartyActor, requireActive } from './hold-consent.ts';
import { updateConsent } from './queries/consents.ts';
import { recordMove } from './record-move.ts';

/** Keeps some of the scopes; scopes cannot be added. Repeating it has no effect. */
export function reduceConsent(
  ctx: Ctx<PartyActor>,
  { consentId, scopes }: { consentId: string; scopes: ConsentScope[] },
): Promise<Consent> {
  return holdConsent(ctx, consentId, async (ctx, consent) => {
    requireActive(consent);
    const granted = consent.scopes!;
    if (!scopes.every((scope) => granted.includes(scope))) throw consentErrors.scopeNotGranted();
    if (scopes.length === 0) throw consentErrors.noScopeLeft();
    const reduced: Consent = { ...consent, scopes: orderScopes(scopes) };
    if (reduced.scopes!.length === granted.length) return consent;
    await updateConsent(ctx.db, reduced);
    await recordMove(ctx, 'reduce', consent, reduced);
    return reduced;
  });
}
