import type { Ctx } from '#context';
import { recordChange } from '#features/audit';
import type { Consent } from './consent.ts';
import { presentConsent } from './wire.ts';

/** The audit row of a consent's change. */
export function recordMove(ctx: Ctx, action: string, before: Consent | null, after: Consent): Promise<void> {
  return recordChange(ctx, {
    action: `consents.${action}`,
    subject: `consent:${after.id}`,
    before: before && presentConsent(before),
    after: presentConsent(after),
  });
}
