import { type Ctx, inTransaction } from '#context';
import { recordChange } from '#features/audit';
import { recordEvent } from '#features/events';
import { hourMs } from '#platform/values/duration';
import { integrationErrors } from './errors.ts';
import { limitKeys, lockIntegration, selectCurrentKeyId, selectIntegration } from './queries.ts';
import { storeNewKey } from './register-integration.ts';

export interface RotatedKey {
  integrationId: string;
  keyId: string;
  token: string;
  /** When the earlier keys end, at the latest. */
  olderKeysEndAt: string;
}

/**
 * Issues a new key; earlier ones keep working for at most `overlapHours` and then expire. An integration that
 * was made from an application has its first key by this.
 */
export function rotateIntegrationKey(
  ctx: Ctx,
  input: { integrationId: string; overlapHours?: number },
): Promise<RotatedKey> {
  const { overlapHours = 24 } = input;
  return inTransaction(ctx, async (ctx) => {
    await lockIntegration(ctx.db, input.integrationId);
    const integration = await selectIntegration(ctx.db, input.integrationId);
    if (!integration) throw integrationErrors.integrationNotFound();
    if (integration.revokedAt) throw integrationErrors.integrationRevoked();
    if (integration.keysByOwner && ctx.actor.kind === 'operator') throw integrationErrors.keysByOwner();
    const { id: integrationId } = integration;
    const before = await selectCurrentKeyId(ctx.db, integrationId);
    const endsAt = new Date(ctx.now.getTime() + overlapHours * hourMs);
    const limited = await limitKeys(ctx.db, { integrationId, endsAt, now: ctx.now });
    const key = await storeNewKey(ctx, integrationId, before ?? null);
    const olderKeysEndAt = endsAt.toISOString();
    if (before !== undefined)
      await recordEvent(ctx, {
        type: 'key.rotated',
        resource: `key:${before}`,
        integrationId,
        facts: { id: before, replacedBy: key.keyId, expiresAt: olderKeysEndAt, revokedAt: null },
      });
    await recordChange(ctx, {
      action: 'integrations.rotate-key',
      subject: `integration:${integrationId}`,
      before: { keyId: before ?? null },
      after: { keyId: key.keyId, limited, olderKeysEndAt },
    });
    return { integrationId, ...key, olderKeysEndAt };
  });
}
