import { isDeepStrictEqual } from 'node:util';
import { type Ctx, inTransaction } from '#context';
import { recordChange } from '#features/audit';
import { violates } from '#platform/db/db';
import type { NewUser } from './create-user.ts';
import { normalizeEmail, parseEmail } from './email.ts';
import { userErrors } from './errors.ts';
import { selectUserForUpdate, type UserRow, updateUserRow } from './queries/users.ts';
import { requireFreeEmail } from './require-free-email.ts';
import { sealIdentity } from './seal-identity.ts';
import { presentUser, type UserView } from './wire.ts';

export type UserChange = { userId: string } & Partial<Omit<NewUser, 'id'>>;

/** Changes the fields that differ; a changed email is unverified unless the operator says otherwise. */
export function updateUser(ctx: Ctx, { userId, ...change }: UserChange): Promise<UserView> {
  return inTransaction(ctx, async (ctx) => {
    const before = await selectUserForUpdate(ctx.db, userId);
    if (!before) throw userErrors.userNotFound();
    const { documentNumber, taxId, ...plain } = change;
    const after: UserRow = { ...before, ...plain, ...sealIdentity(ctx.sealer, before.id, change) };
    if (change.email !== undefined) {
      after.email = parseEmail(change.email);
      if (after.email !== before.email) await requireFreeEmail(ctx, after.email, before.id);
      // Another spelling of the same address, from before emails were normalized, stays verified.
      const isSame = after.email === normalizeEmail(before.email);
      if (!isSame) after.emailVerified = change.emailVerified ?? false;
    }
    // A number always counts as changed: encrypted twice, the same one gives two ciphertexts.
    if (isDeepStrictEqual(after, { ...before })) return presentUser(before);
    after.updatedAt = ctx.now;
    await updateUserRow(ctx.db, after).catch((error) => {
      throw violates(error, 'users_email_key') ? userErrors.emailTaken({ cause: error }) : error;
    });
    const user = presentUser(after);
    await recordChange(ctx, {
      action: 'users.update',
      subject: `user:${before.id}`,
      before: presentUser(before),
      after: { ...user, ...replacedNumbers({ documentNumber, taxId }) },
    });
    return user;
  });
}

/** For the audit log: a number is shown only as present or not. */
function replacedNumbers(numbers: Pick<UserChange, 'documentNumber' | 'taxId'>): { replaced?: string[] } {
  const replaced = Object.entries(numbers).flatMap(([field, number]) => (number ? [field] : []));
  return replaced.length > 0 ? { replaced } : {};
}
