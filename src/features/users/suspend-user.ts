import { type Ctx, inTransaction } from '#context';
import { recordChange } from '#features/audit';
import { userErrors } from './errors.ts';
import { selectUserForUpdate, updateUserSuspension } from './queries.ts';
import { presentUser, type UserView } from './wire.ts';

/**
 * Refuses the user's keys and sessions, and withdrawals for or to the user, from the next request on. Payouts
 * that are not signed yet wait. Repeating it has no effect.
 */
export const suspendUser = (ctx: Ctx, { userId, reason }: { userId: string; reason: string }) =>
  setSuspension(ctx, 'users.suspend', userId, reason);

/** Ends a suspension; without one it has no effect. */
export const resumeUser = (ctx: Ctx, { userId }: { userId: string }) =>
  setSuspension(ctx, 'users.resume', userId, null);

function setSuspension(ctx: Ctx, action: string, userId: string, reason: string | null): Promise<UserView> {
  return inTransaction(ctx, async (ctx) => {
    const before = await selectUserForUpdate(ctx.db, userId);
    if (!before) throw userErrors.userNotFound();
    if ((before.suspendedAt === null) === (reason === null)) return presentUser(before);
    const after = { ...before, suspendedAt: reason === null ? null : ctx.now, suspendedReason: reason };
    await updateUserSuspension(ctx.db, after);
    const [former, user] = [presentUser(before), presentUser(after)];
    await recordChange(ctx, { action, subject: `user:${before.id}`, before: former, after: user });
    return user;
  });
}
