import type { Ctx } from '../context.ts';
import type { Consent } from './consent.ts';
import { holdConsent, type PartyActor, requireActive } from './hold-consent.ts';
import { selectLastReadAt, updateConsent } from './queries.ts';
import { recordMove } from './record-move.ts';

/** Ends a consent at once: no read that comes afterwards gets anything. Revoked already is no error. */
export function revokeConsent(ctx: Ctx<PartyActor>, { consentId }: { consentId: string }): Promise<Consent> {
  return holdConsent(ctx, consentId, async (ctx, consent) => {
    if (consent.status === 'revoked') return consent;
    requireActive(consent);
    // A read that came in after this and was quicker to the row is not dated after the end.
    const lastReadAt = await selectLastReadAt(ctx.db, consent.id);
    const revokedAt = lastReadAt && lastReadAt > ctx.now ? lastReadAt : ctx.now;
    const revoked: Consent = { ...consent, status: 'revoked', revokedAt, revokedBy: ctx.actor.kind };
    await updateConsent(ctx.db, revoked);
    await recordMove(ctx, 'revoke', consent, revoked);
    return revoked;
  });
}
