import { type Ctx, inTransaction, type UserActor } from '#context';
import { recordChange } from '#features/audit';
import { hashSecret } from '#platform/secrets/secret';
import { endSessionRow } from './queries.ts';

/**
 * Ends a session: from the next request on, on every process, the cookie is invalid. Repeating it has no
 * effect.
 */
export function endSession(ctx: Ctx<UserActor>, { sessionSecret }: { sessionSecret: string }): Promise<void> {
  return inTransaction(ctx, async (ctx) => {
    const secretSha256 = hashSecret(sessionSecret);
    const userId = secretSha256 && (await endSessionRow(ctx.db, secretSha256, ctx.now));
    if (userId) await recordEnd(ctx, userId);
  });
}

/** For the session's user: another user who signs in with the same browser also ends it. */
export async function recordEnd(ctx: Ctx<UserActor>, userId: string): Promise<void> {
  await recordChange(ctx, {
    action: 'sessions.end',
    subject: `user:${userId}`,
    after: { endedAt: ctx.now.toISOString() },
  });
}
