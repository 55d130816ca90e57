import { type Ctx, inTransaction } from '#context';
import { recordChange } from '#features/audit';
import { countUsersSealedOtherwise, lockUsersSealedOtherwise, updateUserRow } from './queries/users.ts';
import { openIdentity, sealIdentity } from './seal-identity.ts';

export interface ResealedUsers {
  resealed: number;
  /** Users who still have a value under an older key; at zero the older keys can be removed. */
  remaining: number;
  keyVersion: number;
}

/** Re-encrypts the numbers of up to `limit` users with the newest master key, while the service runs. */
export function resealUsers(ctx: Ctx, { limit = 1_000 }: { limit?: number }): Promise<ResealedUsers> {
  return inTransaction(ctx, async (ctx) => {
    const { newestVersion: keyVersion } = ctx.sealer;
    const users = await lockUsersSealedOtherwise(ctx.db, keyVersion, limit);
    for (const user of users) {
      const sealed = sealIdentity(ctx.sealer, user.id, openIdentity(ctx.sealer, user));
      await updateUserRow(ctx.db, { ...user, ...sealed });
    }
    const remaining = await countUsersSealedOtherwise(ctx.db, keyVersion);
    if (users.length > 0) {
      const after = { keyVersion, resealed: users.length, remaining };
      await recordChange(ctx, { action: 'users.reseal', subject: 'users:all', after });
    }
    return { resealed: users.length, remaining, keyVersion };
  });
}
