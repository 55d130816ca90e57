import { recordChange } from '../audit/index.ts';
import { type Ctx, inTransaction } from '../context.ts';
import { violates } from '../platform/db.ts';
import type { NewUser } from './create-user.ts';
import { parseEmail } from './email.ts';
import { userErrors } from './errors.ts';
import { selectUserForUpdate, type UserRow, updateUserRow } from './queries.ts';
import { sealIdentity } from './seal-identity.ts';
import { presentUser, type UserView } from './wire.ts';

export type UserChange = { userId: string } & Partial<Omit<NewUser, 'id'>>;

/** Changes the fields that were given; a changed email is unverified until somebody says otherwise. */
export function updateUser(ctx: Ctx, { userId, ...change }: UserChange): Promise<UserView> {
  return inTransaction(ctx, async (ctx) => {
    const before = await selectUserForUpdate(ctx.db, userId);
    if (!before) throw userErrors.userNotFound();
    const { documentNumber: _sealed, taxId: _sealedToo, ...plain } = change;
    const after: UserRow = {
      ...before,
      ...plain,
      ...sealIdentity(ctx.sealer, before.id, change),
      updatedAt: ctx.now,
    };
    if (change.email !== undefined) {
      after.email = parseEmail(change.email);
      if (after.email !== before.email) after.emailVerified = change.emailVerified ?? false;
    }
    await updateUserRow(ctx.db, after).catch((error) => {
      throw violates(error, 'users_email_key') ? userErrors.emailTaken({ cause: error }) : error;
    });
    const user = presentUser(after);
    await recordChange(ctx, {
      action: 'users.update',
      subject: `user:${before.id}`,
      before: presentUser(before),
      after: user,
    });
    return user;
  });
}
