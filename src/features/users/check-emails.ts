import type { Ctx } from '#context';
import { decodeCursor, toCursorPage } from '#platform/commands/cursor-page';
import { uuidForm } from '#platform/http/schemas';
import { normalizeEmail } from './email.ts';
import { selectIdsByEmail, selectOddEmails, type UserRow } from './queries.ts';

export interface EmailPart {
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

/** A part of the users whose stored email is not in its normal form, as older releases stored it. */
export async function checkEmails(
  ctx: Ctx,
  part: EmailPart,
): Promise<{ items: EmailFault[]; nextCursor: string | null }> {
  const { users, nextCursor } = await readOddEmails(ctx, 'users.check-emails', part);
  const items: EmailFault[] = [];
  for (const user of users) {
    const fault = await findEmailFault(ctx, user);
    if (fault) items.push(fault);
  }
  return { items, nextCursor };
}

/** Users whose email has to be looked at, because the database cannot tell whether it is normal. */
export async function readOddEmails(ctx: Ctx, command: string, { limit = 1_000, cursor }: EmailPart) {
  const after = decodeCursor(command, cursor, uuidForm);
  const isLocked = command === 'users.normalize-emails';
  const rows = await selectOddEmails(ctx.db, { after, limit: limit + 1, isLocked });
  const { items: users, nextCursor } = toCursorPage(command, rows, limit, ({ id }) => id);
  return { users, nextCursor };
}

export async function findEmailFault(ctx: Ctx, { id, email }: UserRow): Promise<EmailFault | undefined> {
  const normal = normalizeEmail(email);
  if (normal === email) return undefined;
  if (normal === undefined)
    return { userId: id, email, normalEmail: null, fault: 'not-an-email', sharedWith: [] };
  const sharedWith = (await selectIdsByEmail(ctx.db, normal)).filter((other) => other !== id);
  const fault = sharedWith.length > 0 ? 'shared' : 'spelling';
  return { userId: id, email, normalEmail: normal, fault, sharedWith };
}
