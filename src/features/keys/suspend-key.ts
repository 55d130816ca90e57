import type { Ctx } from '#context';
import { setSuspension } from '#features/audit';
import type { Db } from '#platform/db/db';
import { keyErrors } from './errors.ts';
import { selectKeyForUpdate, updateKeySuspension } from './queries.ts';
import { presentKey } from './wire.ts';

/**
 * Refuses a key from the next request on. Payouts that it made and that are not signed yet wait. Repeating it
 * has no effect.
 */
export const suspendKey = (ctx: Ctx, { keyId, reason }: { keyId: string; reason: string }) =>
  setSuspension(ctx, { ...parts(keyId), action: 'keys.suspend', reason });

/** Ends a suspension; without one it has no effect. */
export const resumeKey = (ctx: Ctx, { keyId }: { keyId: string }) =>
  setSuspension(ctx, { ...parts(keyId), action: 'keys.resume', reason: null });

const parts = (keyId: string) => ({
  kind: 'key',
  store: updateKeySuspension,
  present: presentKey,
  lock: async (db: Db) => {
    const row = await selectKeyForUpdate(db, keyId);
    if (!row) throw keyErrors.keyNotFound();
    return row;
  },
});
