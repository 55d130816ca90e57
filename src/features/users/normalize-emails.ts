import { type Ctx, inTransaction } from '#context';
import { recordChange } from '#features/audit';
import { violates } from '#platform/db/db';
import { type EmailFault, type EmailPart, findEmailFault, readOddEmails } from './check-emails.ts';
import { userErrors } from './errors.ts';
import { selectUserForUpdate, type UserRow, updateUserRow } from './queries/users.ts';
import { presentUser } from './wire.ts';

export interface NormalizedEmails {
  normalized: number;
  /** What an operator has to decide. */
  items: EmailFault[];
  nextCursor: string | null;
}

/**
 * Brings stored emails into their normal form, where no other user has it. Such an email is the same address,
 * so it stays verified. Each user has a transaction: an email is a unique key, so its change makes whatever
 * refers to the user wait until the commit, such as a new withdrawal. One that held users and waited for the
 * next could end in a deadlock with a withdrawal of both.
 */
export async function normalizeEmails(
  ctx: Ctx,
  { limit = 100, cursor }: EmailPart,
): Promise<NormalizedEmails> {
  const { users, nextCursor } = await readOddEmails(ctx, 'users.normalize-emails', { limit, cursor });
  const items: EmailFault[] = [];
  let normalized = 0;
  for (const user of users) {
    const seen = await findEmailFault(ctx, user);
    const found = seen?.fault === 'spelling' ? await correctSpelling(ctx, user.id) : seen;
    if (found?.fault === 'spelling') normalized++;
    else if (found) items.push(found);
  }
  return { normalized, items, nextCursor };
}

/** Looks again under the lock, says what it finds, and corrects it if it is only the spelling. */
function correctSpelling(ctx: Ctx, userId: string): Promise<EmailFault | undefined> {
  return inTransaction(ctx, async (ctx) => {
    const user = await selectUserForUpdate(ctx.db, userId);
    const found = user && (await findEmailFault(ctx, user));
    if (found?.fault === 'spelling') await setEmail(ctx, user!, found.normalEmail!);
    return found;
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
