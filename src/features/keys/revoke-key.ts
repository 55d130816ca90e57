import { type Ctx, inTransaction } from '#context';
import { recordChanges } from '#features/audit';
import { recordEvent } from '#features/events';
import { keyErrors } from './errors.ts';
import { type KeyRow, lockIssuedBy, selectKeyForUpdate, updateKeyEnd } from './queries.ts';
import { type KeyView, presentKey } from './wire.ts';

/**
 * Revokes a key from the next request on, in every process, and the keys that it issued: who stole it may
 * have issued them. Revoking it again has no effect.
 */
export function revokeKey(ctx: Ctx, { keyId }: { keyId: string }): Promise<KeyView> {
  return inTransaction(ctx, async (ctx) => {
    const key = await selectKeyForUpdate(ctx.db, keyId);
    if (!key) throw keyErrors.keyNotFound();
    if (key.revokedAt) return presentKey(key);
    const ended = [key, ...(await lockIssuedBy(ctx.db, key))];
    const changes = [];
    for (const before of ended) {
      const after = { ...before, revokedAt: ctx.now };
      await endKey(ctx, after);
      changes.push({
        ctx,
        action: 'keys.revoke',
        subject: `key:${before.id}`,
        before: presentKey(before),
        after: presentKey(after),
      });
    }
    await recordChanges(ctx.db, changes);
    return presentKey({ ...key, revokedAt: ctx.now });
  });
}

async function endKey(ctx: Ctx, key: KeyRow): Promise<void> {
  await updateKeyEnd(ctx.db, key);
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
}
