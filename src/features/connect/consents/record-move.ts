import type { Ctx } from '#context';
import { recordChange } from '#features/audit';
import { recordEvent } from '#features/events';
import type { Consent } from './consent.ts';
import { eventTypes } from './events.ts';
import { presentConsent, presentState } from './wire.ts';

/** The audit row of a consent's change, and its event. */
export async function recordMove(
  ctx: Ctx,
  action: string,
  before: Consent | null,
  after: Consent,
): Promise<void> {
  const type = eventTypes[action];
  if (type) {
    const { id, integrationId } = after;
    const previousStatus = before?.status === after.status ? undefined : before?.status;
    await recordEvent(ctx, {
      type,
      resource: `consent:${id}`,
      integrationId,
      facts: presentState(after),
      ...(previousStatus && { previousStatus }),
    });
  }
  await recordChange(ctx, {
    action: `consents.${action}`,
    subject: `consent:${after.id}`,
    before: before && presentConsent(before),
    after: presentConsent(after),
  });
}
