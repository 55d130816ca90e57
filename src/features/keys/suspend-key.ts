import { type Ctx, inTransaction } from '#context';
import { recordChange } from '#features/audit';
import { keyErrors } from './errors.ts';
import { selectKeyForUpdate, updateKeySuspension } from './queries.ts';
import { type KeyView, presentKey } from './wire.ts';

/**
 * Refuses a key from the next request on. Payouts that it made and that are not signed yet wait. Repeating it
 * has no effect.
 */
export const suspendKey = (ctx: Ctx, { keyId, reason }: { keyId: string; reason: string }) =>
  setSuspension(ctx, 'keys.suspend', keyId, reason);

/** Ends a suspension; without one it has no effect. */
export const resumeKey = (ctx: Ctx, { keyId }: { keyId: string }) =>
  setSuspension(ctx, 'keys.resume', keyId, null);

function setSuspension(ctx: Ctx, action: string, keyId: string, reason: string | null): Promise<KeyView> {
  return inTransaction(ctx, async (ctx) => {
    const before = await selectKeyForUpdate(ctx.db, keyId);
    if (!before) throw keyErrors.keyNotFound();
    if ((before.suspendedAt === null) === (reason === null)) return presentKey(before);
    const after = { ...before, suspendedAt: reason === null ? null : ctx.now, suspendedReason: reason };
    await updateKeySuspension(ctx.db, after);
    const [former, key] = [presentKey(before), presentKey(after)];
    await recordChange(ctx, { action, subject: `key:${keyId}`, before: former, after: key });
    return key;
  });
}
