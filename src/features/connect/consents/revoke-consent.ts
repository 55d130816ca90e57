import type { Ctx } from '#context';
import { type Consent, revokedAsOf } from './consent.ts';
import { holdConsent, type PartyActor, requireActive } from './hold-consent.ts';
import { updateConsent } from './queries/consents.ts';
import { recordMove } from './record-move.ts';

/** Revokes a consent immediately: no later read returns anything. Repeating it has no effect. */
export function revokeConsent(ctx: Ctx<PartyActor>, { consentId }: { consentId: string }): Promise<Consent> {
  return holdConsent(ctx, consentId, async (ctx, consent) => {
    if (consent.status === 'revoked') return consent;
    requireActive(consent);
    const revoked = revokedAsOf(consent, ctx.now, ctx.actor.kind);
    await updateConsent(ctx.db, revoked);
    await recordMove(ctx, 'revoke', consent, revoked);
    return revoked;
  });
}
