import { type Ctx, inTransaction } from '#context';
import { recordEvent } from '#features/events';
import { holdFamily, recordFamily } from './hold-family.ts';
import { type KeyRow, revokeKeys } from './queries.ts';
import { type KeyView, presentKey } from './wire.ts';

/**
 * Revokes a key from the next request on, in every process, and the keys that it issued: who stole it may
 * have issued them. Revoking it again has no effect. Expired ones are included, because an endpoint that they
 * created may still work.
 */
export function revokeKey(ctx: Ctx, { keyId }: { keyId: string }): Promise<KeyView> {
  return inTransaction(ctx, async (ctx) => {
    const { key, issued } = await holdFamily(ctx.db, keyId);
    if (key.revokedAt) return presentKey(key);
    const ended = [key, ...issued];
    await revokeKeys(
      ctx.db,
      ended.map(({ id }) => id),
      ctx.now,
    );
    for (const one of ended) {
      const hasExpired = one.expiresAt !== null && one.expiresAt <= ctx.now;
      if (one === key || !hasExpired) await recordEnd(ctx, one);
    }
    await recordFamily(ctx, 'keys.revoke', ended, { revokedAt: ctx.now });
    return presentKey({ ...key, revokedAt: ctx.now });
  });
}

/** Of keys that worked, at most 100 of a partner. */
async function recordEnd(ctx: Ctx, key: KeyRow): Promise<void> {
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
