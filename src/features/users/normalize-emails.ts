import { type Ctx, inTransaction } from '#context';
import { recordChange } from '#features/audit';
import { violates } from '#platform/db/db';
import { type EmailFault, type EmailPart, findEmailFault, readOddEmails } from './check-emails.ts';
import { userErrors } from './errors.ts';
import { type UserRow, updateUserRow } from './queries.ts';
import { presentUser } from './wire.ts';

export interface NormalizedEmails {
  normalized: number;
  /** What an operator has to decide. */
  items: EmailFault[];
  nextCursor: string | null;
}

/**
 * Brings stored emails into their normal form, where no other user has it. Such an email is the same address,
 * so it stays verified.
 */
export function normalizeEmails(ctx: Ctx, part: EmailPart): Promise<NormalizedEmails> {
  return inTransaction(ctx, async (ctx) => {
    const { users, nextCursor } = await readOddEmails(ctx, 'users.normalize-emails', part);
    const items: EmailFault[] = [];
    let normalized = 0;
    for (const user of users) {
      const found = await findEmailFault(ctx, user);
      if (found?.fault === 'spelling') {
        await setEmail(ctx, user, found.normalEmail!);
        normalized++;
      } else if (found) items.push(found);
    }
    return { normalized, items, nextCursor };
  });
}

async function setEmail(ctx: Ctx, before: UserRow, email: string): Promise<void> {
  const after = { ...before, email, updatedAt: ctx.now };
  await updateUserRow(ctx.db, after).catch((error) => {
    throw violates(error, 'users_email_key') ? userErrors.emailTaken({ cause: error }) : error;
  });
  await recordChange(ctx, {
    action: 'users.normalize-emails',
    subject: `user:${before.id}`,
    before: presentUser(before),
    after: presentUser(after),
  });
}
