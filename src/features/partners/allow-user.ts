import { type Ctx, inTransaction } from '#context';
import { recordChange } from '#features/audit';
import { userErrors, userExists } from '#features/users';
import { partnerErrors } from './errors.ts';
import { deleteAllowedUser, insertAllowedUser, lockPair, partnerExists } from './queries.ts';

export interface AllowedUser {
  partnerId: string;
  userId: string;
}

/** Adds a user to the partner's list; repeating it has no effect. */
export function allowUser(ctx: Ctx, pair: AllowedUser): Promise<AllowedUser & { allowed: boolean }> {
  return inTransaction(ctx, async (ctx) => {
    const { partnerId, userId } = await requireBoth(ctx, pair);
    if (await insertAllowedUser(ctx.db, partnerId, userId, ctx.now)) {
      await recordChange(ctx, {
        action: 'partners.allow-user',
        subject: `partner:${partnerId}`,
        after: { userId },
      });
    }
    return { partnerId, userId, allowed: true };
  });
}

/**
 * Removes a user from the partner's list. The partner's next request for that user is refused, and so is the
 * next one with a key of that user, until the user is allowed again.
 */
export function disallowUser(ctx: Ctx, pair: AllowedUser): Promise<AllowedUser & { allowed: boolean }> {
  return inTransaction(ctx, async (ctx) => {
    const { partnerId, userId } = await requireBoth(ctx, pair);
    if (await deleteAllowedUser(ctx.db, partnerId, userId, ctx.now)) {
      await recordChange(ctx, {
        action: 'partners.disallow-user',
        subject: `partner:${partnerId}`,
        before: { userId },
      });
    }
    return { partnerId, userId, allowed: false };
  });
}

async function requireBoth(ctx: Ctx, { partnerId, userId }: AllowedUser): Promise<AllowedUser> {
  if (!(await partnerExists(ctx.db, partnerId))) throw partnerErrors.partnerNotFound();
  if (!(await userExists(ctx.db, userId))) throw userErrors.userNotFound();
  await lockPair(ctx.db, partnerId, userId);
  return { partnerId: partnerId.toLowerCase(), userId: userId.toLowerCase() };
}
