import type { Ctx } from '#context';
import { decodeCursor, toCursorPage } from '#platform/commands/cursor-page';
import { uuidForm } from '#platform/http/schemas';
import { normalizeEmail } from './email.ts';
import { type EmailRow, selectEmailsAfter, selectIdsByEmail } from './queries/emails.ts';

export interface EmailPart {
  /** How many users are read, whatever their emails are. */
  limit?: number;
  cursor?: string;
}

/** `spelling`: only the spelling differs. `shared`: another user has the same email in some spelling. */
export const emailFaults = ['spelling', 'shared', 'not-an-email'] as const;

export interface EmailFault {
  userId: string;
  email: string;
  normalEmail: string | null;
  fault: (typeof emailFaults)[number];
  sharedWith: string[];
}

/**
 * Reads a part of the users, and names those whose stored email is not in its normal form, as older releases
 * stored it. There may be none, and further parts.
 */
export async function checkEmails(
  ctx: Ctx,
  { limit = 1_000, cursor }: EmailPart,
): Promise<{ items: EmailFault[]; nextCursor: string | null }> {
  const { users, nextCursor } = await readOddEmails(ctx, 'users.check-emails', { limit, cursor });
  const items: EmailFault[] = [];
  for (const user of users) {
    const fault = await findEmailFault(ctx, user);
    if (fault) items.push(fault);
  }
  return { items, nextCursor };
}

/** Those of the next `limit` users whose email the database cannot tell to be normal; no lock. */
export async function readOddEmails(
  ctx: Ctx,
  command: string,
  { limit, cursor }: { limit: number; cursor: string | undefined },
) {
  const after = decodeCursor(command, cursor, uuidForm);
  const rows = await selectEmailsAfter(ctx.db, { after, limit: limit + 1 });
  const { items: users, nextCursor } = toCursorPage(command, rows, limit, ({ id }) => id);
  return { users: users.filter(({ isOdd }) => isOdd), nextCursor };
}

export async function findEmailFault(
  ctx: Ctx,
  { id, email }: Pick<EmailRow, 'id' | 'email'>,
): Promise<EmailFault | undefined> {
  const normal = normalizeEmail(email);
  if (normal === email) return undefined;
  if (normal === undefined)
    return { userId: id, email, normalEmail: null, fault: 'not-an-email', sharedWith: [] };
  const sharedWith = (await selectIdsByEmail(ctx.db, normal)).filter((other) => other !== id);
  const fault = sharedWith.length > 0 ? 'shared' : 'spelling';
  return { userId: id, email, normalEmail: normal, fault, sharedWith };
}
