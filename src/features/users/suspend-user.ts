import type { Ctx } from '#context';
import { setSuspension } from '#features/audit';
import type { Db } from '#platform/db/db';
import { userErrors } from './errors.ts';
import { selectUserForUpdate, updateUserSuspension } from './queries/users.ts';
import { presentUser } from './wire.ts';

/**
 * Refuses the user's keys and sessions, and withdrawals for or to the user, from the next request on. Payouts
 * that are not signed yet wait. Repeating it renews reason and instant.
 */
export const suspendUser = (ctx: Ctx, { userId, reason }: { userId: string; reason: string }) =>
  setSuspension(ctx, { ...parts(userId), action: 'users.suspend', reason });

/** Ends a suspension; without one it has no effect. */
export const resumeUser = (ctx: Ctx, { userId }: { userId: string }) =>
  setSuspension(ctx, { ...parts(userId), action: 'users.resume', reason: null });

const parts = (userId: string) => ({
  kind: 'user',
  store: updateUserSuspension,
  present: presentUser,
  lock: async (db: Db) => {
    const row = await selectUserForUpdate(db, userId);
    if (!row) throw userErrors.userNotFound();
    return row;
  },
});
