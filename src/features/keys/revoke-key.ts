import { type Ctx, inTransaction } from '#context';
import { recordChange } from '#features/audit';
import { recordEvent } from '#features/events';
import { keyErrors } from './errors.ts';
import { selectKeyForUpdate, updateKeyEnd } from './queries.ts';
import { type KeyView, presentKey } from './wire.ts';

/** Revokes a key from the next request on, in every process. Revoking it again has no effect. */
export function revokeKey(ctx: Ctx, { keyId }: { keyId: string }): Promise<KeyView> {
  return inTransaction(ctx, async (ctx) => {
    const key = await selectKeyForUpdate(ctx.db, keyId);
    if (!key) throw keyErrors.keyNotFound();
    if (key.revokedAt) return presentKey(key);
    const revoked = { ...key, revokedAt: ctx.now };
    await updateKeyEnd(ctx.db, revoked);
    await recordEvent(ctx, {
      type: 'key.revoked',
      resource: `key:${key.id}`,
      partnerId: key.partnerId,
      facts: {
        id: key.id,
        replacedBy: null,
        expiresAt: key.expiresAt?.toISOString() ?? null,
        revokedAt: ctx.now.toISOString(),
      },
    });
    await recordChange(ctx, {
      action: 'keys.revoke',
      subject: `key:${key.id}`,
      before: presentKey(key),
      after: presentKey(revoked),
    });
    return presentKey(revoked);
  });
}
