import type { Ctx, IntegrationActor } from '#context';
import { asOf, type Consent } from './consent.ts';
import { findConsent } from './hold-consent.ts';

/** The state of an integration's request. */
export async function showConsent(
  ctx: Ctx<IntegrationActor>,
  { consentId }: { consentId: string },
): Promise<Consent> {
  return asOf(await findConsent(ctx, consentId), ctx.now);
}
