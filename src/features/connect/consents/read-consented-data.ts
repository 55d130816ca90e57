import type { Ctx, IntegrationActor } from '#context';
import { recordChange } from '#features/audit';
import { selectUserWithWallets } from '#features/users';
import type { Consent } from './consent.ts';
import { holdConsent, requireActive } from './hold-consent.ts';
import { updateConsent } from './queries/consents.ts';
import { insertRead } from './queries/reads.ts';
import { recordMove } from './record-move.ts';
import { fieldsOf, shareInClear } from './shared-data.ts';
import { type ConsentedData, presentConsentedData } from './wire.ts';

/**
 * The data that a user consented to share. The read, its fields and its address are recorded, or nothing is
 * returned.
 */
export function readConsentedData(
  ctx: Ctx<IntegrationActor>,
  { consentId, address }: { consentId: string; address: string },
): Promise<ConsentedData> {
  const { keyId } = ctx.actor;
  return holdConsent(ctx, consentId, async (ctx, consent) => {
    requireActive(consent);
    const user = await selectUserWithWallets(ctx.db, consent.userId!);
    const shared = shareInClear(ctx.sealer, user!, consent.scopes!);
    const fields = fieldsOf(shared);
    await insertRead(ctx.db, { consentId: consent.id, keyId, readAt: ctx.now, fields, address });
    const counted = countRead(consent, ctx.now);
    const isOver = consent.duration.kind === 'one-time';
    const after: Consent = isOver ? { ...counted, status: 'expired', expiresAt: ctx.now } : counted;
    await updateConsent(ctx.db, after);

    await recordChange(ctx, {
      action: 'consents.read',
      subject: `consent:${consent.id}`,
      after: { keyId, fields, address },
    });
    if (isOver) await recordMove(ctx, 'expire', counted, after);
    return presentConsentedData(consent, shared);
  });
}

function countRead(consent: Consent, at: Date): Consent {
  const { lastReadAt, readCount } = consent;
  return {
    ...consent,
    lastReadAt: lastReadAt && lastReadAt > at ? lastReadAt : at,
    readCount: readCount + 1,
  };
}
