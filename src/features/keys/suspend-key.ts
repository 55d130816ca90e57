import { type Ctx, inTransaction } from '#context';
import { requireOlder } from '#features/audit';
import { holdFamily, recordFamily } from './hold-family.ts';
import { type KeyRow, resumeWith, suspendWith, updateKeySuspension } from './queries.ts';
import { type KeyView, presentKey } from './wire.ts';

/**
 * Refuses a key from the next request on, and the keys that it issued. Payouts that they made and that are
 * not signed yet wait. Repeating it renews reason and instant, and suspends the key alone from then on:
 * resuming the key that issued it does not resume it.
 */
export function suspendKey(ctx: Ctx, { keyId, reason }: { keyId: string; reason: string }): Promise<KeyView> {
  return inTransaction(ctx, async (ctx) => {
    const { key, issued } = await holdFamily(ctx.db, keyId);
    const change = { suspendedAt: ctx.now, suspendedReason: reason };
    await updateKeySuspension(ctx.db, { ...key, ...change });
    const ids = await suspendWith(ctx.db, { by: keyId, keyIds: idsOf(issued), at: ctx.now, reason });
    await recordFamily(ctx, 'keys.suspend', [key, ...pick(issued, ids)], change);
    return presentKey({ ...key, ...change });
  });
}

/** Ends a suspension, also of the keys that were suspended with it; without one it has no effect. */
export function resumeKey(ctx: Ctx, { keyId }: { keyId: string }): Promise<KeyView> {
  return inTransaction(ctx, async (ctx) => {
    const { key, issued } = await holdFamily(ctx.db, keyId);
    if (!key.suspendedAt) return presentKey(key);
    requireOlder(ctx, key.suspendedAt);
    const change = { suspendedAt: null, suspendedReason: null };
    await updateKeySuspension(ctx.db, { ...key, ...change });
    const ids = await resumeWith(ctx.db, keyId, idsOf(issued));
    await recordFamily(ctx, 'keys.resume', [key, ...pick(issued, ids)], change);
    return presentKey({ ...key, ...change });
  });
}

const idsOf = (keys: readonly KeyRow[]) => keys.map(({ id }) => id);
const pick = (keys: readonly KeyRow[], ids: readonly string[]) => keys.filter(({ id }) => ids.includes(id));
